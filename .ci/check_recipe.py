"""Read and render the conda recipe with rattler-build, as conda-forge does before it builds.

It refuses unknown keys, wrong types and variables that nobody defines. Nothing is solved or built.
"""

from pathlib import Path

from rattler_build import Stage0Recipe, VariantConfig

RECIPE = Path(__file__).resolve().parents[1] / "recipe" / "recipe.yaml"

recipe = Stage0Recipe.from_file(RECIPE)
oldest_python = VariantConfig({"python_min": ["3.11"]})
for variant in recipe.render(oldest_python):
    package = variant.recipe.package
    print(f"recipe of {package.name} {package.version} is well")
