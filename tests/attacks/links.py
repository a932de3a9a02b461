# exercise: double
"""Links and renames that lead out of its folder, for the grader to follow or to delete."""
import os
def tried(name, action):
    try:
        action()
        print(name, "worked")
    except OSError as error:
        print(name, os.strerror(error.errno))
def double(x):
    open("own", "w").close()
    tried("symbolic link", lambda: os.symlink("/etc/passwd", "exercise.py"))
    tried("link", lambda: os.link("own", "other"))
    tried("link to its own file", lambda: os.link(__file__, "other"))
    tried("rename out", lambda: os.rename("own", "../own"))
    tried("rename its folder", lambda: os.rename(os.getcwd(), os.getcwd() + "-gone"))
    tried("remove its folder", lambda: os.rmdir(os.getcwd()))
    tried("replace its file", lambda: os.rename("own", __file__))
    tried("remove its file", lambda: os.remove(__file__))
    tried("pipe", lambda: os.mkfifo("pipe"))
    tried("change owner", lambda: os.chown("own", 1, 1))
    tried("set-uid", lambda: os.chmod("own", 0o4755))
    tried("attribute", lambda: os.setxattr("own", "user.x", b"y"))
    return 2 * x
