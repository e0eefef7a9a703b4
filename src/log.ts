// Structured logs, one JSON line an event, on standard error. Never holds a credential or record content: what could
// carry one is not logged in the first place, and the redaction below is the second line of defence.

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
