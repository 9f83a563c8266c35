// The script of the pages of the results server. They work without it, so it only saves work.

/** A link that ends in `#secret` fills the field for it; the secret then leaves the address bar. */
function takeSecret(): void {
  const field = document.querySelector<HTMLInputElement>("input[data-from-link]");
  if (field === null || location.hash.length < 2) return;
  field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
}

/** Times are written in UTC; readers see those of the zone that they are in. */
function showLocalTimes(): void {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of document.querySelectorAll("time")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    time.title = time.textContent;
    time.textContent = format.format(date);
  }
}

/** Buttons that copy the text of another element. */
function offerCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const source = document.querySelector(button.dataset["copy"] ?? "");
    if (source === null) continue;
    button.hidden = false;
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(source.textContent).then(() => {
        button.textContent = "Copied";
      });
    });
  }
}

takeSecret();
// Of a link that is opened where the page is already.
addEventListener("hashchange", takeSecret);
showLocalTimes();
offerCopying();
