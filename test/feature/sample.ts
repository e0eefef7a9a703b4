// What a test that runs over all commands, operations or pages has to know about those of a feature.

export interface Samples {
  /** The commands for which the usual does not hold, by name. */
  readonly commands?: Readonly<Record<string, CommandSample>>;
  /** Which acts check no right of their own, and why. */
  readonly withoutRight?: Readonly<Record<string, string>>;
  readonly settings?: {
    readonly wrong: readonly SettingCase[];
    readonly right: readonly (readonly [name: string, value: string])[];
  };
}

/** Values that are not valid, and what the message says. */
export type SettingCase = readonly [name: string, values: readonly string[], expected: RegExp];

export interface CommandSample {
  /** True if it opens no store, or only one of its own. */
  readonly opensNoStore?: true;
  /** Why anybody may run it. */
  readonly forAnybody?: string;
  /** Why what it prints is not compared between stores that differ in confidential records. */
  readonly incomparable?: string;
}
