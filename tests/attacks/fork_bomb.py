# exercise: double
"""Starts processes in every way that there is."""
import ctypes, multiprocessing, os, subprocess
libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
def tried(name, action):
    try:
        if action() == -1:
            raise OSError(ctypes.get_errno(), "")
        print(name, "worked")
    except OSError as error:
        print(name, os.strerror(error.errno))
def double(x):
    for _ in range(3):
        tried("fork", os.fork)
    tried("forkpty", os.forkpty)
    tried("spawn", lambda: os.posix_spawn("/bin/true", ["true"], {}))
    tried("process", lambda: subprocess.Popen(["true"]))
    tried("multiprocessing", lambda: multiprocessing.get_context("fork").Process(target=print).start())
    tried("system", lambda: os.system("true") or 0)
    tried("clone", lambda: libc.syscall(56 if X86 else 220, 17, 0, 0, 0, 0))
    tried("clone of a parent", lambda: libc.syscall(56 if X86 else 220, 0x8000 | 17, 0, 0, 0, 0))
    tried("clone3", lambda: libc.syscall(435, ctypes.create_string_buffer(88), 88))
    if X86:
        tried("vfork", lambda: libc.syscall(58))
    tried("exec", lambda: os.execv("/bin/true", ["true"]))
    return 2 * x
