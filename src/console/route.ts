// A row of the table of pages and forms.

import type { PersonalRoute, Route } from "./page.ts";

type Path = PersonalRoute["path"];
type Right = PersonalRoute["right"];
type Handle = PersonalRoute["handle"];

export function read(path: Path, right: Right, handle: Handle): Route {
  return { method: "GET", path, right, handle };
}

/** `page`: the page that contains the form. */
export function act(path: Path, right: Right, handle: Handle, page?: Handle): Route {
  return { method: "POST", path, right, handle, page };
}
