// Shows new mails as they arrive. Without it the page works by reloading.
const { newest, events } = document.body.dataset;

async function refresh() {
  const answer = await fetch(location.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  // Somebody who reads a mail keeps it; otherwise the newest one is shown.
  const parts = document.body.classList.contains("chosen") ? ["#list"] : ["#list", "#mail", "title"];
  for (const part of parts) document.querySelector(part).replaceWith(page.querySelector(part));
}

new EventSource(`${events}?after=${newest}`).addEventListener("message", refresh);
