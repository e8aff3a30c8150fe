"""DRO's latent space: one latent feature per training document. Internal."""
