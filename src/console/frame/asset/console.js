// What a page can't do without a script: passkeys, times in the viewer's zone, live progress and keyboard shortcuts.
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
    if (time.matches(".hour")) {
      time.textContent = date.toLocaleTimeString(undefined, { timeStyle: "short" });
      continue;
    }
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
  if (isOver && bar === null) return;
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

/** A field with a list of links below it: screens, and what the server finds. The arrow keys move the focus. */
function preparePalette() {
  const opener = document.querySelector(".search");
  if (opener === null) return undefined;
  const dialog = document.createElement("dialog");
  const field = document.createElement("input");
  const list = document.createElement("ul");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", "Go to");
  field.placeholder = "Page, action, organization, or id of a record";
  field.setAttribute("aria-label", field.placeholder);
  dialog.append(field, list);
  document.body.append(dialog);
  const screens = [...document.querySelectorAll(".side li > a:first-child")].map((link) => ({
    kind: "Page",
    label: link.textContent.trim(),
    href: link.href,
  }));
  const show = (found) => {
    const items = found.map(({ kind, label, href }) => {
      const [item, link, note] = ["li", "a", "small"].map((name) => document.createElement(name));
      link.href = href;
      note.textContent = kind;
      link.append(label, " ", note);
      item.append(link);
      return item;
    });
    list.replaceChildren(...items);
  };
  let timer;
  const search = () => {
    const text = field.value.trim();
    const own = screens.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
    show(own);
    clearTimeout(timer);
    if (text === "") return;
    timer = setTimeout(async () => {
      const response = await fetch(`/console/palette?q=${encodeURIComponent(text)}`);
      const more = response.ok ? (await response.json()).found : [];
      if (field.value.trim() === text) show([...own, ...more]);
    }, 150);
  };
  field.addEventListener("input", search);
  dialog.addEventListener("keydown", (event) => {
    const links = [field, ...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && event.target === field) links[1]?.click();
    if (step === undefined) return;
    event.preventDefault();
    links.at((links.indexOf(event.target) + step) % links.length).focus();
  });
  const open = () => {
    if (dialog.open) return;
    field.value = "";
    search();
    dialog.showModal();
  };
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  return open;
}

const openPalette = preparePalette();

/**
 * Control or Command with K opens the palette; Alt and Shift with a digit opens the screen at that place of the
 * navigation. With modifiers, so that writing text does nothing else.
 */
function findShortcut({ ctrlKey, metaKey, altKey, shiftKey, code }) {
  if (ctrlKey !== metaKey && !altKey && !shiftKey && code === "KeyK") return openPalette;
  const isDigit = altKey && shiftKey && !ctrlKey && !metaKey && /^Digit\d$/.test(code);
  if (!isDigit) return undefined;
  const place = (Number(code.at(-1)) + 9) % 10;
  const link = document.querySelectorAll(".side li > a:first-child")[place];
  return link && (() => link.click());
}

function listenForShortcuts() {
  document.addEventListener("keydown", (event) => {
    const act = findShortcut(event);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

for (const hint of document.querySelectorAll("[data-without-script]")) hint.hidden = true;
preparePasskeys();
showLocalTimes();
void followProgress();
listenForShortcuts();
