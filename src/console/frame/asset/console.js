// What a page can't do by itself: passkeys, times in the viewer's zone, live progress and keyboard shortcuts.
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
    return post("/console/account/passkey", credential.toJSON());
  },
};

function explain(error) {
  return error.name === "NotAllowedError"
    ? "No passkey was used: it was cancelled, or took too long."
    : error.message;
}

function preparePasskeys() {
  const message = document.querySelector("[data-passkey-message]");
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

/** The zone of the viewer first, UTC beside it; in lists how long ago it was, with the rest in a tooltip. */
function showLocalTimes() {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const now = Date.parse(document.documentElement.dataset.now);
  for (const time of document.querySelectorAll("time[datetime]")) {
    const local = format.format(new Date(time.dateTime));
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

/** Shows the progress of what the page is about, and what has become of it. */
function followProgress() {
  const part = document.querySelector("[data-progress]");
  if (part === null) return;
  const bar = part.querySelector("progress");
  const text = part.querySelector("[data-progress-text]");
  const events = new EventSource(part.dataset.progress);
  events.addEventListener("state", ({ data }) => {
    const state = JSON.parse(data);
    bar.value = state.share;
    text.textContent = state.text;
  });
  events.addEventListener("end", () => globalThis.location.reload());
  // Otherwise the browser connects again by itself.
  events.addEventListener("error", () => {
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => globalThis.location.reload(), 5_000);
  });
}

/**
 * Control or Command with K finds a record; Alt and Shift with a digit opens the screen at that place of the
 * navigation. With modifiers, so that writing text does nothing else.
 */
function findTarget({ ctrlKey, metaKey, altKey, shiftKey, code }) {
  if (ctrlKey !== metaKey && !altKey && !shiftKey && code === "KeyK") {
    const isThere = location.pathname === "/console/find";
    return document.querySelector(isThere ? "main input" : '.side a[href="/console/find"]');
  }
  const isDigit = altKey && shiftKey && !ctrlKey && !metaKey && /^Digit\d$/.test(code);
  if (!isDigit) return null;
  const place = (Number(code.at(-1)) + 9) % 10;
  return document.querySelectorAll(".side li > a:first-child")[place] ?? null;
}

function listenForShortcuts() {
  document.addEventListener("keydown", (event) => {
    const target = findTarget(event);
    if (target === null) return;
    event.preventDefault();
    if (target.matches("input")) target.focus();
    else target.click();
  });
}

for (const hint of document.querySelectorAll("[data-without-script]")) hint.hidden = true;
preparePasskeys();
showLocalTimes();
followProgress();
listenForShortcuts();
