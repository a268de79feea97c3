// Shows new emails as they arrive, and copies codes. Without it the page works by reloading.
const { newest, events } = document.body.dataset;
document.body.classList.add("scripted");

async function refresh() {
  const answer = await fetch(location.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  // Somebody who reads an email keeps it; otherwise the newest one is shown.
  const parts = document.body.classList.contains("chosen") ? ["#list"] : ["#list", "#mail", "title"];
  for (const part of parts) document.querySelector(part).replaceWith(page.querySelector(part));
}

new EventSource(`${events}?after=${newest}`).addEventListener("message", refresh);

document.addEventListener("click", async ({ target }) => {
  const { copy } = target.dataset;
  if (!copy) return;
  await navigator.clipboard.writeText(copy);
  target.textContent = `Copied ${copy}`;
});
