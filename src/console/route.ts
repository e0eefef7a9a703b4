// The rows of the table of pages and forms, also those of acts that are described with a noun (src/noun). What was sent
// is read by the kinds that the command line uses; a value that is not valid changes nothing.

import { OperatorError, UsageError } from "../actions/operator/operator-error.ts";
import type { Field, FormAct, NounPage } from "../noun/act.ts";
import { type Form, requireTyped } from "./html/field.ts";
import { addressOf } from "./html/link.ts";
import { type Next, type Person, type PersonalRoute, readForm, withIds } from "./page.ts";

type Path = PersonalRoute["path"];
type Right = PersonalRoute["right"];
type Handle = PersonalRoute["handle"];

export function read(path: Path, right: Right, handle: Handle): PersonalRoute {
  return { method: "GET", path, right, handle };
}

/** `page`: the page that contains the form. */
export function act(
  path: Path,
  right: Right,
  handle: (person: Person, form: URLSearchParams) => Promise<Next>,
  page?: Handle,
): PersonalRoute {
  const receive = async (person: Person) => {
    return handle(person, await withIds(person, await readForm(person)));
  };
  return send(path, right, receive, page);
}

/** The handler reads what was sent, which is no form of text fields. */
export function send(path: Path, right: Right, handle: Handle, page?: Handle): PersonalRoute {
  return { method: "POST", path, right, page, handle };
}

/** The page, and a route for each of its forms, which is shown on the page again if it is refused. */
export function routesOf(
  path: Path,
  right: Right,
  { view, acts }: NounPage,
): readonly PersonalRoute[] {
  return [read(path, right, view), ...acts.map((one) => routeOf(one, view, path))];
}

/** The form of an act that is on this page; `path`: the page after it. */
export function routeOf(one: FormAct, page: Handle, path: Path = "/console"): PersonalRoute {
  const [right] = one.rights;
  if (right === undefined) throw new TypeError(`the form ${one.form.path} needs a right`);
  const handle = async (person: Person, form: Form) =>
    (await submit(one, person, form)) ?? addressOf(path, person.id);
  return act(one.form.path, right, handle, page);
}

async function submit(one: FormAct, person: Person, form: Form): Promise<Next> {
  const { confirm } = one.form;
  if (confirm !== undefined) requireTyped(form, person.id, confirm);
  try {
    return await one.submit(person, readValues(one, form, person.id));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new OperatorError("invalid", `${error.message} Nothing was changed.`);
  }
}

type Parameter = FormAct["options"][string];

function readValues(one: FormAct, form: Form, id: string): Readonly<Record<string, unknown>> {
  const { arguments: positional, options } = one;
  const { fields = {} } = one.form;
  const about = one.form.path.includes(":id") && (Object.keys(positional)[0] ?? "organization");
  const entries = Object.entries({ ...positional, ...options }).map(([name, parameter]) => {
    const field = fields[name];
    if (name === about) return [name, id];
    return [name, field && readField(parameter, form, { ...field, name })];
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
  const readOne = (one: string) => readText(parameter, one, { label, name });
  const isEmpty = given.length > 0 && texts.length === 0;
  if (isEmpty && empty !== undefined) return readOne(empty);
  if (isEmpty && required === true && parameter.fallback === undefined) return readOne("");
  if (parameter.form === "flag") return texts.length > 0;
  if (parameter.form === "list") return texts.flatMap(readOne);
  if (boxes !== undefined && isUnset !== true && texts.length === 0) return [];
  const text = boxes === undefined ? texts[0] : texts.join(",");
  if (text === undefined || text === "") return parameter.required ? "" : readFallback(parameter);
  return readOne(text);
}

function readFallback({ fallback, read: parse }: Parameter): unknown {
  return fallback === undefined ? undefined : parse(fallback);
}

function readText(
  { read: parse }: Parameter,
  text: string,
  { label, name: field }: { readonly label: string; readonly name: string },
): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [what = ""] = label.split(/[,;:(]/);
    const expected = error.message.replace(/^It/, "it");
    const message = `${what.trim()}: ${expected} Nothing was changed.`;
    throw new OperatorError("invalid", message, { context: { field } });
  }
}
