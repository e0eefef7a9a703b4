// The settings of the receivers of events. Headers are secrets, and are shown nowhere.

import { validateHeaderName, validateHeaderValue } from "node:http";
import { optional, Problem, readPairs, setting, text } from "./setting.ts";
import { webUrl } from "./telemetry-settings.ts";

/** Part of the table of all settings. */
export const eventSettings = {
  eventsOtlpEndpoint: setting(
    "EVENTS_OTLP_ENDPOINT",
    "",
    "URL to which events are sent as OTLP logs, used as it is, such as `https://collector.example.com:4318/v1/logs`.",
    optional(webUrl("https://collector.example.com:4318/v1/logs", "EVENTS_OTLP_HEADERS")),
  ),
  eventsOtlpHeaders: setting(
    "EVENTS_OTLP_HEADERS",
    "",
    "Headers for that receiver, such as credentials: `name=value`, separated by commas, percent-encoded.",
    headers,
  ),
  eventsSyslogUrl: setting(
    "EVENTS_SYSLOG_URL",
    "",
    "Receiver to which events are sent by syslog: `syslog+tls://host:6514`, or `syslog+tcp://host:514` without TLS.",
    optional(syslogUrl),
  ),
  eventsCaFile: setting(
    "EVENTS_CA_FILE",
    "",
    "Certificates in PEM format to trust at both instead of those of the system.",
    optional(text("a file")),
  ),
};

function headers(value: string): Readonly<Record<string, string>> | Problem {
  const pairs = readPairs(value);
  try {
    for (const [name, content] of pairs ?? []) {
      validateHeaderName(name);
      validateHeaderValue(name, content);
    }
    if (pairs !== undefined) return Object.fromEntries(pairs);
  } catch {
    // The message would repeat the header.
  }
  return new Problem("name=value pairs of headers, separated by commas and percent-encoded");
}

const ports: Readonly<Record<string, number>> = { "syslog+tls:": 6514, "syslog+tcp:": 514 };

function syslogUrl(value: string): URL | Problem {
  const url = URL.parse(value);
  const isPlain =
    url !== null &&
    url.hostname !== "" &&
    `${url.username}${url.password}${url.pathname.replace("/", "")}${url.search}${url.hash}` === "";
  const port = ports[url?.protocol ?? ""];
  if (isPlain && port !== undefined) {
    if (url.port === "") url.port = String(port);
    return url;
  }
  return new Problem(
    "a URL such as syslog+tls://siem.example.com:6514, or syslog+tcp:// without TLS",
  );
}
