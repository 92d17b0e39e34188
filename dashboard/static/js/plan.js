// The dialog of plans: a button opens it, `y` confirms, Esc closes.
(() => {
  const dialog = document.getElementById("plan");
  if (!dialog) return;
  const body = document.getElementById("plan-body");
  const show = (name) => body.replaceChildren(document.getElementById(name).content.cloneNode(true));
  let opener = null;

  const ask = (button) => {
    opener = button;
    show("plan-waiting");
    if (!dialog.open) dialog.showModal();
    const values = { key: button.dataset.key, action: button.dataset.plan };
    if (button.dataset.min) Object.assign(values, { min: button.dataset.min, expires_in_s: 14400 });
    htmx.ajax("POST", dialog.dataset.ask, { source: body, target: body, values });
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-plan]");
    if (button) ask(button);
    else if (event.target.closest("[data-plan-close]")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    body.replaceChildren();
    (opener?.isConnected ? opener : document.querySelector(`button[data-plan][data-key="${CSS.escape(opener?.dataset.key ?? "")}"]`))?.focus();
    document.body.dispatchEvent(new Event("pilotlight:acted"));
  });

  // One key says yes, but never while something is typed.
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "y" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input:not([type=radio]), select, textarea")) return;
    const confirm = dialog.querySelector("[data-confirm]:not(:disabled)");
    if (confirm) { event.preventDefault(); confirm.click(); }
  });
  // A changed figure makes a new plan: what is shown may not be applied any more.
  dialog.addEventListener("input", (event) => {
    if (event.target.closest(".plan-params")) for (const button of dialog.querySelectorAll("[data-confirm]")) button.disabled = true;
  });
  dialog.addEventListener("htmx:afterSwap", () => {
    pilotlight.localise?.(body);
    const first = body.querySelector("[data-confirm]");
    if (first && !body.contains(document.activeElement)) first.focus();
  });
  dialog.addEventListener("htmx:responseError", (event) => {
    show("plan-broken");
    body.querySelector("[data-status]").textContent = `(${event.detail.xhr.status})`;
  });
})();
