// What a command is: data from which the command line, its help and its documentation are built. Independent of any
// particular command, and of the library that parses the command line.

import type { App } from "../actions/app.ts";
import type { OperatorRight } from "../domain/operator-right.ts";
import type { Setting } from "../settings/setting.ts";

/** Where a command writes; process.stdout is one. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
}

/** What a command knows about the process that runs it. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  readonly json: boolean;
  /** The actor in the audit trail: the name given with --as, or the user of the operating system. */
  readonly operator: string;
  /** The value of --as; `withApp` acts within the rights of this operator. */
  readonly as: string | undefined;
  readonly table: CommandTable;
  startService(environment: Context["environment"]): Promise<StartedService>;
  /** Opens the store, which may be in service, runs `work`, and closes the store. */
  withApp<Result>(work: (app: App) => Promise<Result>, options?: StoreOptions): Promise<Result>;
}

export interface StartedService {
  readonly address: string;
  readonly app: App;
  stop(): Promise<void>;
}

export interface StoreOptions {
  /** For a command that writes much, and reads or computes at the same time. */
  readonly writesBeside?: boolean;
  readonly create?: boolean;
  /** If true, the command also opens a store that is being restored. Never set for a command that reads records. */
  readonly restoring?: boolean;
}

/** What a command prints on standard output: `json` with --json, `text` without. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** Exits with 3: what was examined is not as it should be. */
  readonly hasFinding?: boolean;
}

/** How the text of an argument or option is parsed; `read` throws a UsageError that says what was expected. */
export interface Kind<Value> {
  readonly placeholder: string;
  readonly read: (text: string) => Value;
  /** All valid values, where there are few; shell completion offers them. */
  readonly values?: readonly string[];
}

export interface Parameter<Value> extends Kind<Value> {
  readonly summary: string;
  readonly required: boolean;
  /** The default value, as it would be typed. */
  readonly fallback: string | undefined;
  /** `flag` is given without a value; `list` may be given several times. */
  readonly form?: "flag" | "list";
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type Values<From extends Parameters> = {
  readonly [Name in keyof From]: From[Name] extends Parameter<infer Value> ? Value : never;
};

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  /** What it is for, to whoever has just created a store; the sentence continues after its name. */
  readonly forNewcomers?: string;
  readonly examples: readonly string[];
  /** The operator named with --as needs one of these rights; empty for a command that anybody may run. */
  readonly rights: readonly OperatorRight[];
  readonly arguments: Parameters;
  readonly options: Parameters;
  readonly run: (
    context: Context,
    values: Readonly<Record<string, unknown>>,
  ) => Promise<CommandResult | undefined>;
}

/** Commands of the program, and what its help says about them. */
export interface CommandTable {
  readonly commands: readonly Command[];
  readonly groups: Readonly<Record<string, string>>;
  readonly headings: Readonly<Record<string, readonly string[]>>;
  /** Those of features; src/settings/config.ts has the others. */
  readonly settings: readonly Setting<unknown>[];
  /** The table of the commands that begin with this word, or of all. */
  readonly load: (first?: string) => Promise<CommandTable>;
}

interface Definition<Arguments extends Parameters, Options extends Parameters> extends Omit<
  Command,
  "arguments" | "options" | "run"
> {
  /** Names are in camel case here and in kebab case on the command line. */
  readonly arguments?: Arguments;
  readonly options?: Options;
  readonly run: (
    context: Context,
    values: Values<Arguments> & Values<Options>,
  ) => Promise<CommandResult | undefined>;
}

export interface StoreDefinition<
  Arguments extends Parameters,
  Options extends Parameters,
> extends Omit<Definition<Arguments, Options>, "run"> {
  /** True for a command that may be run during a restore. Never for one that reads records. */
  readonly restoring?: boolean;
  readonly create?: boolean;
  readonly run: (
    app: App,
    values: Values<Arguments> & Values<Options>,
    context: Context,
  ) => Promise<CommandResult | undefined>;
}

export type None = Readonly<Record<string, never>>;

/** Passes `run` its arguments and options by name, each of the type that its kind reads. */
export function defineCommand<
  Arguments extends Parameters = None,
  Options extends Parameters = None,
>({ run, ...rest }: Definition<Arguments, Options>): Command {
  return {
    arguments: {},
    options: {},
    ...rest,
    run: (context, values) => run(context, values as Values<Arguments> & Values<Options>),
  };
}

/** A command on an existing store, which is open while `run` works. */
export function defineStoreCommand<
  Arguments extends Parameters = None,
  Options extends Parameters = None,
>({
  run,
  restoring = false,
  create = false,
  ...rest
}: StoreDefinition<Arguments, Options>): Command {
  return defineCommand<Arguments, Options>({
    ...rest,
    run: (context, values) =>
      context.withApp((app) => run(app, values, context), { restoring, create }),
  });
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

export function flag(summary: string): Parameter<boolean> {
  const kind: Kind<boolean> = { placeholder: "", read: () => true };
  return { ...kind, summary, required: false, fallback: undefined, form: "flag" };
}

/** At least one. */
export function several<Value>(kind: Kind<Value>, summary: string): Parameter<readonly Value[]> {
  return { ...listOf(kind), summary, required: true };
}

/** An empty list if omitted. */
export function anyNumber<Value>(kind: Kind<Value>, summary: string): Parameter<readonly Value[]> {
  return { ...listOf(kind), summary, required: false };
}

/** Each value is read separately; program.ts joins the lists. */
function listOf<Value>({ read, ...kind }: Kind<Value>) {
  const readOne = (text: string): readonly Value[] => [read(text)];
  return { ...kind, read: readOne, fallback: undefined, form: "list" } as const;
}
