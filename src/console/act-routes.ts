// The routes of pages that are described with a noun (src/noun), and of the forms of their acts. What was sent is read
// by the kinds that the command line uses; a value that is not valid changes nothing.

import { OperatorError, UsageError } from "../actions/operator/operator-error.ts";
import type { OperatorRight } from "../domain/operator-right.ts";
import type { Field, FormAct, Next, NounPage } from "../noun/act.ts";
import { requireTyped } from "./html/confirmation.ts";
import type { Form } from "./html/field.ts";
import { addressOf } from "./html/link.ts";
import { type Person, type PersonalRoute, readForm, redirectTo, showPage } from "./page.ts";

type Parameter = FormAct["options"][string];

/** The page, and a route for each of its forms, which is shown on the page again if it is refused. */
export function routesOf(
  path: PersonalRoute["path"],
  right: OperatorRight,
  { view, acts }: NounPage,
): readonly PersonalRoute[] {
  const show = async (person: Person) => showPage(person, await view(person));
  return [
    { method: "GET", path, right, handle: show },
    ...acts.map((act) => routeOf(act, show, path)),
  ];
}

/** The form of an act that is on this page; `path`: the page after it. */
export function routeOf(
  act: FormAct,
  page: PersonalRoute["handle"],
  path: PersonalRoute["path"] = "/console",
): PersonalRoute {
  const [right] = act.rights;
  if (right === undefined) throw new TypeError(`the form ${act.form.path} needs a right`);
  const handle = async (person: Person) => {
    const next = await send(person, act);
    if (typeof next === "object") {
      const { status = 200, ...view } = next;
      return showPage(person, view, { status });
    }
    return redirectTo(next ?? addressOf(path, person.id));
  };
  return { method: "POST", path: act.form.path, right, page, handle };
}

async function send(person: Person, act: FormAct): Promise<Next | undefined> {
  const form = await readForm(person);
  const { confirm } = act.form;
  if (confirm !== undefined) requireTyped(form, person.id, confirm);
  try {
    return await act.submit(person, readValues(act, form, person.id));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new OperatorError("invalid", `${error.message} Nothing was changed.`);
  }
}

function readValues(act: FormAct, form: Form, id: string): Readonly<Record<string, unknown>> {
  const { arguments: positional, options } = act;
  const { fields = {} } = act.form;
  const about = act.form.path.includes(":id") && (Object.keys(positional)[0] ?? "organization");
  const entries = Object.entries({ ...positional, ...options }).map(([name, parameter]) => {
    const field = fields[name];
    if (name === about) return [name, id];
    return [name, field && readField(parameter, form, { name, ...field })];
  });
  return Object.fromEntries(entries);
}

/** A missing value is that of a missing option; a missing text that is required is empty, which the action refuses. */
function readField(
  parameter: Parameter,
  form: Form,
  { name, label, boxes, isUnset, area, empty, required }: Field & { readonly name: string },
): unknown {
  const given = form.getAll(name).flatMap((one) => (area === "lines" ? one.split(/\r?\n/) : one));
  const texts = given.map((one) => one.trim()).filter((one) => one !== "");
  const read = (one: string) => readText(parameter, one, { label, name });
  const isEmpty = given.length > 0 && texts.length === 0;
  if (isEmpty && empty !== undefined) return read(empty);
  if (isEmpty && required === true && parameter.fallback === undefined) return read("");
  if (parameter.form === "flag") return texts.length > 0;
  if (parameter.form === "list") return texts.flatMap(read);
  if (boxes !== undefined && isUnset !== true && texts.length === 0) return [];
  const text = boxes === undefined ? texts[0] : texts.join(",");
  if (text === undefined || text === "") return parameter.required ? "" : readFallback(parameter);
  return read(text);
}

function readFallback({ fallback, read }: Parameter): unknown {
  return fallback === undefined ? undefined : read(fallback);
}

/** Throws OperatorError invalid. */
function readText(
  { read }: Parameter,
  text: string,
  { label, name: field }: { readonly label: string; readonly name: string },
): unknown {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [what = ""] = label.split(/[,;:(]/);
    const expected = error.message.replace(/^It/, "it");
    const message = `${what.trim()}: ${expected} Nothing was changed.`;
    throw new OperatorError("invalid", message, { context: { field } });
  }
}
