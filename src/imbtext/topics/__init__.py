"""DECOM's topic model: latent Dirichlet allocation in compiled code. Internal."""
