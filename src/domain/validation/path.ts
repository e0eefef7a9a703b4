// Paths of fields in errors: `amount`, `[3].addresses[0].type`. Bounded, whatever the keys of the sender.

import { limits } from "../limits.ts";

export function fieldPath(path: string, name: string): string {
  const max = limits.idCharactersMax;
  const step = name === "" ? '""' : name.length > max ? `${name.slice(0, max)}…` : name;
  return path === "" ? step : `${path}.${step}`;
}

export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`;
}
