// Finds environment variables that look like settings but are not, so that a mistyped one is noticed. Never shows a
// value, and ignores the variables of other programs.

import { editDistance } from "../domain/validation/suggest.ts";

export interface UnknownSetting {
  readonly name: string;
  /** The setting that was most likely meant. */
  readonly meant: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const ownPrefix = "SLUICE_";

/** Variables of this project that are not settings: those of clients and imports, and those that only tests read. */
const otherOwn = /^SLUICE_(?:(?:URL|ORGANIZATION|API_KEY)$|TEST_)/;

/** Kubernetes sets these in every container for a service named `sluice`, and SLUICE_PORT to a URL. */
const serviceLink =
  /^SLUICE_(?:\w+_)?(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/;
const serviceUrl = /^(?:tcp|udp|sctp):\/\//;

/** Settings with fewer letters, such as PORT, are too similar to variables of other programs. */
const lettersMin = 10;
/** For each so many letters of a name, one typing mistake is tolerated. */
const lettersPerMistake = 8;

/**
 * Three rules, in this order: a name that begins with SLUICE_ and is not one of ours; a name with the first two words
 * of a setting of three or more, such as RATE_LIMIT_PER_SEC; a name that differs from a setting only in case,
 * underscores or typing mistakes, such as DATABASE_URI. The last two do not apply if the setting itself is set.
 */
export function findUnknownSettings(
  environment: Environment,
  settings: readonly string[],
): readonly UnknownSetting[] {
  return Object.entries(environment)
    .filter(([name, value]) => (value ?? "") !== "" && !settings.includes(name))
    .flatMap(([name, value]) => explain(name, value ?? "", { environment, settings }) ?? []);
}

export function describeUnknownSetting({ name, meant }: UnknownSetting): string {
  const suggestion = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `${name} is not a setting and is ignored${suggestion || "."}`;
}

function explain(
  name: string,
  value: string,
  { environment, settings }: { environment: Environment; settings: readonly string[] },
): UnknownSetting | undefined {
  if (name.startsWith(ownPrefix)) {
    if (otherOwn.test(name) || serviceLink.test(name) || serviceUrl.test(value)) return undefined;
    return { name, meant: nearestTo(name.slice(ownPrefix.length), settings) };
  }
  // Only secrets can be in files.
  const named = settings.find((setting) => name === `${setting}_FILE`);
  const meant = named ?? sharingWords(name, settings) ?? mistyped(name, settings);
  const isSet = meant !== undefined && (environment[meant] ?? "") !== "";
  return meant === undefined || isSet ? undefined : { name, meant };
}

/** After the prefix SLUICE_, short names count too. */
function nearestTo(name: string, settings: readonly string[]): string | undefined {
  const same = settings.find((setting) => letters(setting) === letters(name));
  return same ?? sharingWords(name, settings) ?? mistyped(name, settings);
}

/** Returns the setting with the longest common beginning; if several have it, the first one in the table. */
function sharingWords(name: string, settings: readonly string[]): string | undefined {
  const family = settings.filter((setting) => {
    const [first, second, third] = setting.split("_");
    const start = `${first}_${second}`;
    return third !== undefined && (name === start || name.startsWith(`${start}_`));
  });
  const lengths = family.map((setting) => commonLength(setting, name));
  return family[lengths.indexOf(Math.max(...lengths))];
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function mistyped(name: string, settings: readonly string[]): string | undefined {
  const wanted = letters(name);
  return settings.find((setting) => {
    const known = letters(setting);
    const mistakesMax = Math.floor(known.length / lettersPerMistake);
    const isNear = Math.abs(known.length - wanted.length) <= mistakesMax;
    return known.length >= lettersMin && isNear && editDistance(wanted, known) <= mistakesMax;
  });
}

function letters(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}
