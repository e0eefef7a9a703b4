// Structured logs on standard error, one JSON line for each event. They never contain a credential or record content:
// no such value is passed to the log, and the redaction below is the second line of defence.

import { type Logger, pino } from "pino";

export type { Logger };

const redact = {
  paths: ["authorization", "*.authorization", "api_key", "*.api_key", "token", "*.token", "reason"],
  censor: "[redacted]",
};

export function makeLog(level: string): Logger {
  return pino(
    { level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: false }),
  );
}
