// A button copies the text that it names, and says so for a moment.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const said = (button.dataset.said ??= button.textContent);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    // Without a secure context there is no clipboard: the text is selected, to be copied by hand.
    getSelection().selectAllChildren(source);
    button.textContent = "Selected";
  }
  document.getElementById("spoken").textContent = button.textContent;
  setTimeout(() => { button.textContent = said; }, 2000);
});
