// Names for those who listen to the page: the theme's buttons are told apart by their pictures alone.
document.addEventListener("DOMContentLoaded", () => {
  // What is visible, such as "Choose version", is the name.
  document.querySelectorAll(".version-switcher__button").forEach((button) => {
    button.removeAttribute("aria-label");
  });
  document.querySelectorAll("summary:has(.toctree-toggle)").forEach((summary) => {
    const link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", "Pages of " + link.textContent.trim());
  });
});
