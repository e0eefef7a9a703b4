// Whether the service can take requests, asked of the store at most once in a while however many ask. Knows nothing of
// HTTP.

/** How long an answer is reused, so that probes cost little. */
const readinessKeptMs = 1_000;
/** A store that takes longer is not ready. */
const readinessTimeoutMs = 5_000;

export interface ReadinessOptions {
  /** Rejects where a write would fail. */
  readonly probe: () => Promise<void>;
  /** Called when the answer is another than the last one; undefined: ready again. */
  readonly onChange: (failure: unknown) => void;
  /** For how long an answer is kept. */
  readonly keptMs?: number;
  /** How long the store may take before the service counts as not ready. */
  readonly timeoutMs?: number;
}

interface Answer {
  readonly at: number;
  readonly failure: unknown;
}

export class Readiness {
  readonly #options: ReadinessOptions;
  #last: Answer | undefined;
  #asking: Promise<Answer> | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Rejects with what is wrong, also if that takes too long to find out. */
  async check(): Promise<void> {
    const { failure } = this.#fresh() ?? (await this.#ask());
    if (failure !== undefined) throw failure;
  }

  #fresh(): Answer | undefined {
    const last = this.#last;
    const { keptMs = readinessKeptMs } = this.#options;
    const isFresh = last !== undefined && performance.now() - last.at < keptMs;
    return isFresh ? last : undefined;
  }

  /** Those who ask while a probe is under way share it. */
  async #ask(): Promise<Answer> {
    this.#asking ??= this.#probe().finally(() => (this.#asking = undefined));
    const { timeoutMs = readinessTimeoutMs } = this.#options;
    const late = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => {
      const failure = new Error("the store has not answered in time");
      late.resolve({ at: performance.now(), failure });
    }, timeoutMs);
    const answer = await Promise.race([this.#asking, late.promise]);
    clearTimeout(timer);
    this.#tell(answer);
    return answer;
  }

  async #probe(): Promise<Answer> {
    const failure = await this.#options.probe().then(
      () => undefined,
      (error: unknown) => error ?? new Error("no reason was given"),
    );
    return { at: performance.now(), failure };
  }

  #tell(answer: Answer): void {
    const wasReady = this.#last?.failure === undefined;
    const isReady = answer.failure === undefined;
    this.#last = answer;
    if (wasReady !== isReady) this.#options.onChange(answer.failure);
  }
}
