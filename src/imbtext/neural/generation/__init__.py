"""Networks that write documents: a language model, and SeqGAN.

The training modules need only torch and NumPy, so they also run on a GPU machine on which nothing
else is installed. The samplers are thin shells around them.
"""
