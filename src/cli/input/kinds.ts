// The kinds of argument and option: how each is parsed, and the message for a value that is not valid.

import { UsageError } from "../../actions/operator/operator-error.ts";
import { deletionBasisNames } from "../../domain/deletion/basis.ts";
import { deletionStatuses } from "../../domain/deletion/deletion.ts";
import { durationRule, parseDuration } from "../../basics/duration.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { floorOrigins } from "../../domain/retention/floor.ts";
import { allScopes, isScope, type Scope } from "../../domain/scope.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import { adviseName, closestName } from "../../domain/validation/suggest.ts";
import { type Kind, required, flag } from "../command.ts";

/** A kind whose parser returns undefined for a value that is not valid; `expected` completes "It must be …". */
export function kind<Value extends {} | null>(
  placeholder: string,
  expected: string,
  parse: (text: string) => Value | undefined,
): Kind<Value> {
  return {
    placeholder,
    read: (word) => {
      const value = parse(word);
      if (value === undefined) throw new UsageError(`It must be ${expected}.`);
      return value;
    },
  };
}

export function text(placeholder: string): Kind<string> {
  return kind(placeholder, "text that is not empty", (word) =>
    word.trim() === "" ? undefined : word,
  );
}

export function lineOfText(placeholder: string): Kind<string> {
  const max = limits.nameCharactersMax;
  return kind(placeholder, `text of 1 to ${max} characters without control characters`, (word) => {
    const fits = word.trim() !== "" && word.length <= max && word.isWellFormed();
    // eslint-disable-next-line no-control-regex
    return fits && !/[\u0000-\u001f\u007f-\u009f]/.test(word) ? word : undefined;
  });
}

export const reason: Kind<string> = kind(
  "TEXT",
  `text of 1 to ${limits.reasonCharactersMax} characters`,
  (word) => (word.trim() !== "" && word.length <= limits.reasonCharactersMax ? word : undefined),
);

export const day: Kind<string> = kind("DATE", "a day such as 2026-12-31", (word) =>
  isFullDate(word) ? word : undefined,
);

export const duration = kind("DURATION", durationRule, parseDuration);

function parseWhole(word: string, min: number, max: number): number | undefined {
  const number = /^\d{1,15}$/.test(word) ? Number(word) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

/** The name of a record type; the action that uses it reports an unknown one. */
export const recordType: Kind<string> = {
  ...text("TYPE"),
  values: recordTypes.map(({ resourceType }) => resourceType),
};

/** Names of record types, or `none`; the action that uses them reports an unknown one. */
export const typeList: Kind<readonly string[]> = {
  ...kind("TYPES", 'record types, separated by commas, or "none"', (word) => {
    const names = word === "none" ? [] : word.split(",").map((name) => name.trim());
    return names.includes("") ? undefined : [...new Set(names)];
  }),
  values: ["none", ...recordTypes.map(({ resourceType }) => resourceType)],
};

export function wholeNumber(placeholder: string, min: number, max: number): Kind<number> {
  return kind(placeholder, `a whole number from ${min} to ${max}`, (word) =>
    parseWhole(word, min, max),
  );
}

/** A whole number, or null for the word. */
function numberOr(word: string, [min, max]: readonly [number, number], expected: string) {
  return kind("N", expected, (typed) => (typed === word ? null : parseWhole(typed, min, max)));
}

const { rateLimitMax, retainDaysMax } = limits;

/** Requests per second. */
export const rateLimit = numberOr(
  "default",
  [0, rateLimitMax],
  `a whole number from 0 (no limit) to ${rateLimitMax}, or "default" for the setting of the server`,
);

const days = `a whole number of days from 1 to ${retainDaysMax}`;
export const retainDays = numberOr("off", [1, retainDaysMax], `${days}, or "off" to keep records`);
export const ruleDays = numberOr("none", [1, retainDaysMax], `${days}, or "none" for no such rule`);

export const onOff = {
  ...kind("on|off", '"on" or "off"', (word) =>
    word === "on" || word === "off" ? word === "on" : undefined,
  ),
  values: ["on", "off"],
};

export function choice<Value extends string>(
  placeholder: string,
  values: readonly Value[],
): Kind<Value> {
  const read = (word: string) => {
    const value = values.find((one) => one === word);
    if (value !== undefined) return value;
    const advice = adviseName(word, values) || ".";
    throw new UsageError(`It must be one of ${values.join(", ")}${advice}`);
  };
  return { placeholder, read, values };
}

export const floorOrigin = choice("FIELD", floorOrigins);

export const deletionStatus = choice("STATUS", deletionStatuses);

export const deletionBasis = choice("BASIS", deletionBasisNames);

export const scopeList: Kind<readonly Scope[]> = {
  placeholder: "SCOPES",
  values: allScopes,
  read: (word) => {
    const names = word.split(",").map((name) => name.trim());
    const unknown = names.filter((name) => !isScope(name));
    if (unknown.length > 0) {
      const meant = unknown.flatMap((name) => closestName(name, allScopes) ?? []);
      const advice = meant.length === 0 ? "" : `Did you mean ${meant.join(", ")}? `;
      throw new UsageError(
        `There is no scope ${unknown.map((name) => `"${name}"`).join(", ")}. ${advice}The scopes, separated by commas, are: ` +
          `${allScopes.join(", ")}.`,
      );
    }
    return [...new Set(names.filter(isScope))];
  },
};

export const keyArguments = {
  keyId: required(text("KEY_ID"), "Id of the key as `key list` shows it, not the key itself."),
};

export const confidentialOptions = {
  includeConfidential: flag(
    "Also show what is confidential. For officers only: do not pass the output on.",
  ),
};

export const recordArguments = {
  type: required(recordType, "Record type, such as transaction."),
  id: required(text("ID"), "Id of the record."),
};

export const organizationOfRecord = required(
  text("ID"),
  "Organization that the record belongs to.",
);

export function recordKeyOf({
  organization: organizationId,
  type: resourceType,
  id: resourceId,
}: Readonly<Record<"organization" | "type" | "id", string>>): RecordKey {
  return { organizationId, resourceType, resourceId };
}
