"""Networks that write documents: a recurrent language model, and SeqGAN on top of it.

The modules of training need torch and NumPy alone, so that they can be carried to a GPU machine on
which nothing else is installed; the samplers are thin shells around them.
"""
