// The effective settings in a form that people may see: never a secret, and never the user or password of a URL.

import { describeServers } from "../files/postgres-urls.ts";
import { type Config, readConfig, settings } from "./config.ts";
import type { Setting } from "./setting.ts";

export interface ShownSetting {
  readonly name: string;
  readonly value: string;
  readonly isDefault: boolean;
  readonly summary: string;
}

/** A name with such an ending means a secret, so that a new setting is hidden without being listed here. */
const secret = /_(?:TOKEN|HEADERS|SECRET|PASSWORD|CREDENTIALS?)$/;
const address = /_(?:URL|URI|ENDPOINT|ISSUER)$/;

export function showSettings(config: Config): readonly ShownSetting[] {
  const usual = readConfig({});
  const own = Object.entries(settings).map(([name, item]) => {
    const key = name as keyof typeof settings;
    return showSetting(item, config[key], usual[key]);
  });
  const added = [...config.added].map(([item, value]) =>
    showSetting(item, value, item.read(item.fallback)),
  );
  return [...own, ...added];
}

function showSetting(
  { name, fallback, summary }: Setting<unknown>,
  value: unknown,
  usual: unknown,
): ShownSetting {
  const isDefault = JSON.stringify(usual) === JSON.stringify(value);
  return { name, value: show(name, value, fallback), isDefault, summary };
}

/** The text that is shown if there is no value. */
const empty: ReadonlySet<unknown> = new Set([undefined, '""', "{}", "[]"]);

function show(name: string, value: unknown, fallback: string): string {
  if (empty.has(JSON.stringify(value))) return "not set";
  if (secret.test(name)) return "set, not shown";
  if (typeof value === "boolean") return showBoolean(value, fallback);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return address.test(name) || text.includes("://") ? withoutCredentials(text) : text;
}

function showBoolean(value: boolean, fallback: string): string {
  if (fallback === "true" || fallback === "false") return String(value);
  if (fallback === "on" || fallback === "off") return value ? "on" : "off";
  return value ? "production" : "development or test";
}

/** Removes the query too, which may contain a password. */
function withoutCredentials(text: string): string {
  if (text.startsWith("sqlite:")) return text;
  const place = describeServers(text);
  return place === undefined ? "set, not shown" : `${text.split(":", 1)[0]}://${place}`;
}
