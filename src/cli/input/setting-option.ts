// Options that take precedence over a setting, with the same valid values and the same messages.

import { type Config, expectedOf, settings } from "../../settings/config.ts";
import { type Parameter, replacing } from "../command.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";

/** `meaning` is what the option is, without a full stop. */
export function settingOption(
  key: keyof Config,
  placeholder: string,
  meaning: string,
): Parameter<string | undefined> {
  const { name } = settings[key];
  const read = (given: string): string => {
    const expected = expectedOf(key, given);
    if (expected !== undefined) throw new UsageError(`It must be ${expected}.`);
    return given;
  };
  return replacing(name, { placeholder, read }, `${meaning}; takes precedence over ${name}.`);
}
