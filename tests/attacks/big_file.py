# exercise: double
"""One large file: written, made sparse, reserved, unnamed."""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, action):
    try:
        if action() == -1:
            raise OSError(ctypes.get_errno(), "")
        print(name, "worked")
    except OSError as error:
        print(name, os.strerror(error.errno))
def double(x):
    file = os.open("big", os.O_RDWR | os.O_CREAT)
    tried("write", lambda: [os.pwrite(file, bytes(2**20), place) for place in range(0, 2**22, 2**20)])
    tried("sparse", lambda: os.ftruncate(file, 2**40))
    tried("truncate", lambda: os.truncate("big", 2**40))
    tried("fallocate", lambda: os.posix_fallocate(file, 0, 2**30))
    tried("sendfile", lambda: os.sendfile(file, 0, 0, 10))
    tried("memfd", lambda: os.memfd_create("big"))
    tried("shared memory", lambda: os.open("/dev/shm/gradclinic-attack", os.O_CREAT | os.O_RDWR))
    return 2 * x
