// What a page can't do without a script: passkeys, times in the viewer's zone and live progress.
// Everything else works without this file.

"use strict";

/** Sends JSON and follows the reply. Rejects with a message for people. */
async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.message);
  return reply;
}

const passkeys = {
  "sign-in": async () => {
    const options = await post("/console/passkey/options", {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials.get({ publicKey });
    return post("/console/passkey", credential.toJSON());
  },
  add: async () => {
    const options = await post("/console/account/passkey/options", {});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({ publicKey });
    const name = document.querySelector("[data-passkey-name] input").value;
    return post("/console/account/passkey", { ...credential.toJSON(), name });
  },
};

function explain(error) {
  return error.name === "NotAllowedError"
    ? "No passkey was used: it was cancelled, or took too long."
    : error.message;
}

function preparePasskeys() {
  const message = document.querySelector("[data-passkey-message]");
  for (const label of document.querySelectorAll("[data-passkey-name]")) label.hidden = false;
  for (const button of document.querySelectorAll("[data-passkey]")) {
    button.hidden = false;
    if (typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON !== "function") {
      button.disabled = true;
      message.textContent = "This browser does not support passkeys.";
      continue;
    }
    button.addEventListener("click", () => {
      void usePasskey(button, message);
    });
  }
}

async function usePasskey(button, message) {
  button.disabled = true;
  message.textContent = "";
  try {
    const { location } = await passkeys[button.dataset.passkey]();
    globalThis.location.assign(location);
  } catch (error) {
    message.textContent = explain(error);
    button.disabled = false;
  }
}

const steps = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
];

/** `3 hours ago`, `in 2 days`. */
function relative(milliseconds) {
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  let amount = milliseconds / 1_000;
  for (const [unit, size] of steps) {
    if (Math.abs(amount) < size) return format.format(Math.round(amount), unit);
    amount /= size;
  }
  return format.format(Math.round(amount), "year");
}

/**
 * The zone of the viewer first, with UTC beside it; in lists, how long ago it was, with the exact time in a tooltip.
 */
function showLocalTimes() {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const now = Date.parse(document.documentElement.dataset.now);
  for (const time of document.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    const local = format.format(date);
    if (time.matches(".exact")) {
      time.title = local;
      continue;
    }
    if (time.matches(".ago")) {
      time.title = `${local} (${time.textContent})`;
      time.textContent = relative(Date.parse(time.dateTime) - now);
      continue;
    }
    const utc = document.createElement("small");
    utc.textContent = ` (${time.textContent})`;
    time.textContent = local;
    time.after(utc);
  }
}

/**
 * Shows the progress and the result of the work that the page is about. A page without a bar may have a form, which
 * stays.
 */
async function followProgress() {
  const part = document.querySelector("[data-progress]");
  if (part === null) return;
  const bar = part.querySelector("progress");
  const reply = await fetch(part.dataset.progress).catch(() => undefined);
  // The session has ended, or a right or what the page shows is gone.
  const isOver = reply?.redirected === true || reply?.status === 403 || reply?.status === 404;
  if (isOver && bar === null) {
    part.textContent = reply.redirected
      ? "Your session has ended: this page no longer follows what happens. Sign in and open it again."
      : "This page is no longer available to you, and no longer follows what happens.";
    part.setAttribute("role", "alert");
    document.querySelector("main").prepend(part);
    return;
  }
  const { end = isOver, share, text } = reply?.ok && !isOver ? await reply.json() : {};
  if (end) {
    globalThis.location.reload();
    return;
  }
  if (share !== undefined) {
    bar.value = share;
    part.querySelector("[data-progress-text]").textContent = text;
  }
  setTimeout(() => void followProgress(), 1_000);
}

for (const hint of document.querySelectorAll("[data-without-script]")) hint.hidden = true;
preparePasskeys();
showLocalTimes();
void followProgress();
