"""As much of torch as samples/profiling/measure_layers.py needs to choose its device; what it is asked is printed."""
from . import nn, utils  # noqa: F401

bfloat16 = float16 = float32 = None


def device(name):
    return name


class cuda:
    @staticmethod
    def is_available():
        return True

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def set_device(name):
        if ":" not in name:
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{name}")
        print("set_device", name)

    @staticmethod
    def get_device_name(name):
        return name
