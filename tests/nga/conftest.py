"""One thread, as in a job: the tensors are small."""

import torch

torch.set_num_threads(1)
