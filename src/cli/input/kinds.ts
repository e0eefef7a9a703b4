// The kinds of argument and option that commands take: how each is read, and what to say when it can't be.

import { type DeletionStatus, deletionStatuses } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import { allScopes, isScope, type Scope } from "../../domain/scope.ts";
import { UsageError } from "../../actions/operator-error.ts";
import type { Kind } from "../command.ts";
import { readDurationMs } from "./duration.ts";

export function text(placeholder: string): Kind<string> {
  return {
    placeholder,
    read: (given) => {
      if (given.trim() === "") throw new UsageError("It must not be empty.");
      return given;
    },
  };
}

/** One line of text, such as a name. */
export function lineOfText(placeholder: string): Kind<string> {
  return {
    placeholder,
    read: (given) => {
      const fits = given.trim() !== "" && given.length <= limits.nameCharactersMax;
      // eslint-disable-next-line no-control-regex
      if (fits && given.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(given)) return given;
      throw new UsageError(
        `It must be text of 1 to ${limits.nameCharactersMax} characters without control characters.`,
      );
    },
  };
}

export const day: Kind<string> = {
  placeholder: "DATE",
  read: (given) => {
    if (isFullDate(given)) return given;
    throw new UsageError("It must be a day such as 2026-12-31.");
  },
};

/** A duration in milliseconds. */
export const duration: Kind<number> = { placeholder: "DURATION", read: readDurationMs };

export function wholeNumber(placeholder: string, min: number, max: number): Kind<number> {
  return {
    placeholder,
    read: (given) => {
      const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
      if (number >= min && number <= max) return number;
      throw new UsageError(`It must be a whole number from ${min} to ${max}.`);
    },
  };
}

/** A number of requests a second, or `default` (null) for the server's setting. */
export const rateLimit: Kind<number | null> = {
  placeholder: "N",
  read: (given) => {
    if (given === "default") return null;
    const number = /^\d{1,8}$/.test(given) ? Number(given) : Number.NaN;
    if (number <= 10_000_000) return number;
    throw new UsageError(
      'It must be a whole number from 0 (no limit) to 10000000, or "default" for the setting of the server.',
    );
  },
};

/** A number of days, or `off` (null). */
export const retainDays: Kind<number | null> = {
  placeholder: "N",
  read: (given) => {
    if (given === "off") return null;
    const days = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
    if (days >= 1 && days <= limits.retainDaysMax) return days;
    throw new UsageError(
      `It must be a whole number of days from 1 to ${limits.retainDaysMax}, or "off" to keep records.`,
    );
  },
};

export const onOff: Kind<boolean> = {
  placeholder: "on|off",
  read: (given) => {
    if (given === "on" || given === "off") return given === "on";
    throw new UsageError('It must be "on" or "off".');
  },
};

export const scopeList: Kind<readonly Scope[]> = {
  placeholder: "SCOPES",
  read: (given) => {
    const names = given.split(",").map((name) => name.trim());
    const unknown = names.filter((name) => !isScope(name));
    if (unknown.length > 0) {
      throw new UsageError(
        `There is no scope ${unknown.map((name) => `"${name}"`).join(", ")}. The scopes, separated by commas, are: ` +
          `${allScopes.join(", ")}.`,
      );
    }
    return [...new Set(names.filter(isScope))];
  },
};

export function choice<Value extends string>(
  placeholder: string,
  values: readonly Value[],
): Kind<Value> {
  return {
    placeholder,
    read: (given) => {
      const value = values.find((known) => known === given);
      if (value !== undefined) return value;
      throw new UsageError(`It must be one of ${values.join(", ")}.`);
    },
  };
}

export const deletionStatus: Kind<DeletionStatus> = {
  placeholder: "STATUS",
  read: (given) => {
    const status = deletionStatuses.find((known) => known === given);
    if (status !== undefined) return status;
    throw new UsageError(`It must be one of ${deletionStatuses.join(", ")}.`);
  },
};

export const reason: Kind<string> = {
  placeholder: "TEXT",
  read: (given) => {
    const length = given.trim() === "" ? 0 : given.length;
    if (length >= 1 && length <= limits.reasonCharactersMax) return given;
    throw new UsageError(`It must be text of 1 to ${limits.reasonCharactersMax} characters.`);
  },
};
