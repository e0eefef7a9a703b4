// The values of records in the form that people write. Nothing is omitted: a value of unknown form is shown as JSON.

import { type Html, html } from "./html.ts";

export function describeValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return describeAddress(value) ?? JSON.stringify(value);
}

const partsOfAddress = ["lines", "postal_code", "city", "county", "state", "country"] as const;

/** One line each; undefined if it is not an address. */
function describeAddress(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const given = new Map(Object.entries(value).filter(([, part]) => part !== null));
  const lines = partsOfAddress.flatMap((part) => given.get(part) ?? []);
  const isAddress = [...given.keys()].every((key) => partsOfAddress.some((part) => part === key));
  const isText = lines.length > 0 && lines.every((line) => typeof line === "string");
  return isAddress && isText ? lines.join("\n") : undefined;
}

/** A date, a telephone number or an e-mail address, marked as such; the text is as it was sent. */
export function renderTyped(text: string): Html {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return html`<time>${text}</time>`;
  if (/^\+\d[\d ()/.-]{5,24}$/.test(text)) {
    return html`<a href="tel:+${text.replaceAll(/\D/g, "")}">${text}</a>`;
  }
  if (/^[\w.+-]{1,64}@[\w.-]{1,200}$/.test(text)) return html`<a href="mailto:${text}">${text}</a>`;
  return html`${text}`;
}
