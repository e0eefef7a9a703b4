// What a command is: a row of data that the command line, its help and its documentation are made from.
// Knows nothing of any particular command, nor of the library that parses the line.

import type { App } from "../actions/app.ts";

/** Where a command writes; process.stdout is one. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What a command gets from the world around it. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  readonly json: boolean;
  /** The name for the audit trail: of --as, or of the user of the operating system. */
  readonly operator: string;
  /** Opens the store beside whatever serves it, runs `work`, and closes it again. */
  withApp<Result>(work: (app: App) => Promise<Result>, options?: AppNeeds): Promise<Result>;
}

export interface AppNeeds {
  /** True unless it is given: fails where there is no store. False: one is created. */
  readonly existing?: boolean;
  /** Also opens a store that is being restored. Never for what reads records. */
  readonly restoring?: boolean;
}

/** What a command prints on standard output: `json` with --json, `text` without. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** 0 unless it says otherwise. */
  readonly exitCode?: number;
}

/** How the text of an argument or option is read; `read` throws a UsageError that says what was expected. */
export interface Kind<Value> {
  readonly placeholder: string;
  readonly read: (text: string) => Value;
}

export interface Parameter<Value> extends Kind<Value> {
  readonly summary: string;
  readonly required: boolean;
  /** What stands in for an option that is not given, as it would be typed. */
  readonly fallback: string | undefined;
  /** `flag` is given without a value; `list` may be given several times. */
  readonly form?: "flag" | "list";
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

type Values<From extends Parameters> = {
  readonly [Name in keyof From]: From[Name] extends Parameter<infer Value> ? Value : never;
};

export interface Command {
  /** One or two words, such as `key create`. */
  readonly name: string;
  readonly summary: string;
  /** Further sentences for the help and the documentation. */
  readonly details?: string;
  readonly examples: readonly string[];
  readonly arguments: Parameters;
  readonly options: Parameters;
  readonly run: (
    context: Context,
    values: Readonly<Record<string, unknown>>,
  ) => Promise<CommandResult | undefined>;
}

interface Definition<Arguments extends Parameters, Options extends Parameters> extends Omit<
  Command,
  "run"
> {
  /** Names are in camel case here and in kebab case on the command line. */
  readonly arguments: Arguments;
  readonly options: Options;
  readonly run: (
    context: Context,
    values: Values<Arguments> & Values<Options>,
  ) => Promise<CommandResult | undefined>;
}

/** Gives `run` its arguments and options under their names, each of the type that its kind reads. */
export function defineCommand<Arguments extends Parameters, Options extends Parameters>(
  definition: Definition<Arguments, Options>,
): Command {
  const { run, ...rest } = definition;
  return {
    ...rest,
    run: (context, values) => run(context, values as Values<Arguments> & Values<Options>),
  };
}

export function required<Value>(kind: Kind<Value>, summary: string): Parameter<Value> {
  return { ...kind, summary, required: true, fallback: undefined };
}

export function optional<Value>(kind: Kind<Value>, summary: string): Parameter<Value | undefined> {
  return { ...kind, summary, required: false, fallback: undefined };
}

export function withDefault<Value>(
  kind: Kind<Value>,
  summary: string,
  fallback: string,
): Parameter<Value> {
  return { ...kind, summary, required: false, fallback };
}

/** False unless it is given. */
export function flag(summary: string): Parameter<boolean> {
  const rest = { required: false, fallback: undefined, form: "flag" } as const;
  return { placeholder: "", read: given, summary, ...rest };
}

function given(): boolean {
  return true;
}

/** At least one. */
export function several<Value>(kind: Kind<Value>, summary: string): Parameter<readonly Value[]> {
  return { ...listOf(kind), summary, required: true };
}

/** Empty if it is not given. */
export function anyNumber<Value>(kind: Kind<Value>, summary: string): Parameter<readonly Value[]> {
  return { ...listOf(kind), summary, required: false };
}

/** Each text is read by itself; program.ts puts the lists together. */
function listOf<Value>({ placeholder, read }: Kind<Value>) {
  const readOne = (text: string): readonly Value[] => [read(text)];
  return { placeholder, read: readOne, fallback: undefined, form: "list" } as const;
}
