"""The latent spaces of DRO and its family. Internal."""
