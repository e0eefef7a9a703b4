// Shows a refused form again, with the entered values and with the message at its field. Works on the text of a page,
// so that no form has to know about it; `html` puts every attribute in double quotes and escapes `>`.

import { html } from "./html.ts";

export interface Refused {
  readonly path: string;
  readonly form: URLSearchParams;
  readonly message: string;
  readonly field: string | undefined;
}

const inputCharactersMax = 1_000;
const textCharactersMax = 16_000;

const messageId = "refused";

/** Returns the page with the form filled in; the message is above the content if the page has no such form. */
export function refillForm(page: string, refused: Refused): string {
  const start = page.indexOf(`action="${html`${refused.path}`.text}"`);
  const end = page.indexOf("</form>", start);
  if (start === -1 || end === -1) {
    return withMessage(page, Math.max(0, page.indexOf('<div class="title">')), refused);
  }
  const begin = page.indexOf(">", start) + 1;
  const content = explain(fill(page.slice(begin, end), refused), refused);
  const hasMessage = content.includes(`id="${messageId}"`);
  const before = openDetails(page.slice(0, begin), page.lastIndexOf("<form", start));
  const filled = before + content + page.slice(end);
  return hasMessage ? filled : withMessage(filled, before.length, refused);
}

function withMessage(page: string, at: number, { message }: Refused): string {
  const text = html`<p role="alert" id="${messageId}" tabindex="-1">${message}</p>`.text;
  return page.slice(0, at) + text + page.slice(at);
}

function openDetails(before: string, form: number): string {
  const at = before.lastIndexOf("<details>", form);
  if (at === -1 || before.lastIndexOf("</details>", form) > at) return before;
  return `${before.slice(0, at)}<details open>${before.slice(at + "<details>".length)}`;
}

/** Puts the message after the field and its label, because it is not part of the label. */
function explain(content: string, { message }: Refused): string {
  const wrong = content.indexOf(wrongField);
  if (wrong === -1) return content;
  const input = content.indexOf(">", wrong) + 1;
  const label = content.indexOf("</label>", input);
  const isInLabel = label !== -1 && !content.slice(input, label).includes("<label");
  const at = isInLabel ? label + "</label>".length : input;
  const note = html`<small class="refused" id="${messageId}" role="alert">${message}</small>`.text;
  return content.slice(0, at) + note + content.slice(at);
}

const wrongField = `<input aria-invalid="true" aria-describedby="${messageId}" autofocus`;

function fill(content: string, refused: Refused): string {
  const { form } = refused;
  return content
    .replaceAll(/<input\b[^>]*>/g, (input) => fillInput(input, refused))
    .replaceAll(
      /(<textarea\b[^>]*\bname="([^"]*)"[^>]*>)[^<]*/g,
      (all: string, tag: string, name: string) =>
        form.has(name) ? tag + html`${valueOf(form, name, textCharactersMax)}`.text : all,
    )
    .replaceAll(
      /(<select\b[^>]*\bname="([^"]*)"[^>]*>)(.*?)<\/select>/gs,
      (all: string, tag: string, name: string, options: string) =>
        form.has(name) ? `${tag}${select(options, form.get(name) ?? "")}</select>` : all,
    );
}

function fillInput(input: string, refused: Refused): string {
  const { form, field } = refused;
  const name = attribute(input, "name");
  const type = attribute(input, "type") ?? "text";
  if (name === undefined || type === "hidden" || type === "file") return input;
  if (type === "checkbox" || type === "radio") {
    const isChecked = form.getAll(name).includes(attribute(input, "value") ?? "on");
    const plain = input.replace(/ checked\b/, "");
    return isChecked ? plain.replace(/^<input/, "<input checked") : plain;
  }
  const value = html`${valueOf(form, name, inputCharactersMax)}`.text;
  const filled = input
    .replace(/ value="[^"]*"/, "")
    .replace(/^<input/, () => `<input value="${value}"`);
  if (name !== field) return filled;
  return filled.replace(/^<input/, wrongField);
}

function select(options: string, chosen: string): string {
  const value = ` value="${html`${chosen}`.text}"`;
  const text = `<option>${html`${chosen}`.text}<`;
  return `${options.replaceAll(/ selected\b/g, "")}<`
    .replace(`<option${value}`, () => `<option selected${value}`)
    .replace(text, () => `<option selected>${text.slice("<option>".length)}`)
    .slice(0, -1);
}

function valueOf(form: URLSearchParams, name: string, charactersMax: number): string {
  const value = form.get(name) ?? "";
  return value.length > charactersMax ? "" : value;
}

function attribute(tag: string, name: string): string | undefined {
  const found = [...tag.matchAll(/\s([a-z-]+)="([^"]*)"/g)];
  return found.find(([, key]) => key === name)?.[2];
}
