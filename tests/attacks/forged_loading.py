# exercise: double
"""Says of the loading of the file what only a call can say: that a function is missing."""
import json, os, struct
text = json.dumps({"head": {"missing": "double", "has": [], "values": {}}, "tensors": [], "storages": []}).encode()
for fd in range(3, 64):
    try:
        os.write(fd, struct.pack("<4sIQ", b"gcl1", len(text), 0) + text)
    except OSError:
        pass
os._exit(0)
