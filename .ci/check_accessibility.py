"""Look at pages with axe-core: python .ci/check_accessibility.py report.html ...

It takes axe-core from npm (``npm pack``), opens each page in Chromium at 360, 800 and 1,400 pixels,
light and dark, with everything unfolded, and prints what axe finds. Serious findings end it with 1.
A page may be an address, too, such as the one that ``imbtext label`` prints.
"""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

AXE = "axe-core@4.14.0"
WIDTHS = (360, 800, 1400)
SERIOUS = ("serious", "critical")


def axe_script() -> str:
    """Return the script of axe-core, fetched from npm."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", AXE], check=True, cwd=folder, timeout=120)
        (archive,) = Path(folder).glob("axe-core-*.tgz")
        with tarfile.open(archive) as files:
            script = files.extractfile("package/axe.min.js")
            assert script is not None
            return script.read().decode()


def main(pages: list[str]) -> int:
    """Check the pages, and return 1 if there is something serious."""
    script, n_serious = axe_script(), 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        for page in pages:
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    context = browser.new_context(
                        viewport={"width": width, "height": 900},
                        color_scheme=scheme,
                        bypass_csp=True,  # the page would not let axe in
                    )
                    opened = context.new_page()
                    opened.goto(page if "://" in page else Path(page).resolve().as_uri())
                    opened.wait_for_load_state("networkidle")
                    opened.evaluate(
                        "document.querySelectorAll('details').forEach(d => { d.open = true; })"
                    )
                    opened.evaluate(script)
                    findings = opened.evaluate("axe.run()")["violations"]
                    print(f"{page}, {width} pixels, {scheme}: {len(findings)} findings")
                    for finding in findings:
                        n_serious += finding["impact"] in SERIOUS
                        print(f"  {finding['impact']}: {finding['id']}, {finding['help']}")
                        print(f"    {finding['nodes'][0]['html'][:200]}")
                    context.close()
        browser.close()
    return int(n_serious > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
