// The items of a lenient request, which are independent: the result of each, and how they are stored in parts.

import { type AppError, errorCatalogue, type FieldError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { isRefused } from "../../domain/record/draft-outcome.ts";
import { partsOf } from "../../domain/record/draft-rows.ts";
import type {
  Draft,
  DraftOutcome,
  WriteMode,
  WriteOutcome,
} from "../../domain/record/record-write.ts";
import type { InvalidItem } from "../../domain/record/payload.ts";
import { describeRefusal, describeWritten, singleError } from "./validation-errors.ts";

/** How many items one transaction writes. */
const partItemsMax = 1_000;
/** The results name at most this many errors, over all items. This bounds the reply. */
const listedErrorsMax = 10_000;

export interface ItemResult {
  readonly index: number;
  readonly id: string | undefined;
  readonly status: "created" | "updated" | "unchanged" | "refused";
  readonly code?: number;
  readonly message?: string;
  readonly errors?: readonly FieldError[];
}

interface ResultOptions {
  readonly type: RecordType;
  readonly mode: WriteMode;
  /** True if each item is decided and answered like a request with only this item. */
  readonly asSingle?: boolean | undefined;
}

export class ItemResults {
  readonly #options: ResultOptions;
  /** The result of each item, or the id of a draft until it is stored. */
  readonly #results: (ItemResult | string)[] = [];
  #listedErrors = 0;

  constructor(options: ResultOptions) {
    this.#options = options;
  }

  add(id: string): void {
    this.#results.push(id);
  }

  addInvalid(item: unknown, invalid: InvalidItem): void {
    const { type, asSingle } = this.#options;
    const listedMax = Math.min(limits.fieldErrorsMax, listedErrorsMax - this.#listedErrors);
    const errors = invalid.errors.slice(0, Math.max(0, listedMax));
    this.#listedErrors += errors.length;
    const { code } = errorCatalogue[invalid.errorName];
    const message =
      asSingle === true
        ? singleError(type, invalid.errorName, invalid.errors).message
        : describeRefusal(invalid.errorName, type);
    const index = this.#results.length;
    this.#results.push({ index, id: idOf(type, item), status: "refused", code, message, errors });
  }

  /** One for each item. `outcomes`: of the drafts, in order. */
  of(outcomes: readonly DraftOutcome[]): readonly ItemResult[] {
    const { type, mode, asSingle } = this.#options;
    const message = asSingle === true ? `${describeWritten(mode, type)}.` : undefined;
    let next = 0;
    return this.#results.map((result, index): ItemResult => {
      if (typeof result !== "string") return result;
      const outcome = outcomes[next++];
      if (outcome === undefined) throw new TypeError("the store returned no outcome for a draft");
      const item = { index, id: result };
      if (!isRefused(outcome)) return { ...item, status: outcome, ...(message && { message }) };
      const refused = { ...item, status: "refused" } as const;
      if (asSingle === true) return { ...refused, ...partsOfError(singleError(type, outcome)) };
      const { code } = errorCatalogue[outcome];
      return { ...refused, code, message: describeRefusal(outcome, type) };
    });
  }
}

function idOf(type: RecordType, item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !Object.hasOwn(item, type.idField))
    return undefined;
  const id = (item as Record<string, unknown>)[type.idField];
  return typeof id === "string" && id.length <= limits.idCharactersMax ? id : undefined;
}

function partsOfError({
  code,
  message,
  errors,
}: AppError): Pick<ItemResult, "code" | "message" | "errors"> {
  return { code, message, ...(errors && { errors }) };
}

/** So other writes fit in between. One part after another if a record is in two of them. */
export async function storeInParts(
  drafts: readonly Draft[],
  store: (part: readonly Draft[]) => Promise<WriteOutcome>,
): Promise<WriteOutcome> {
  if (drafts.length === 0) return { written: 0, drafts: [] };
  const parts = partsOf(drafts, { itemsMax: partItemsMax, rowsMax: limits.groupRowsMax });
  const outcomes = repeatsRecord(drafts)
    ? await Array.fromAsync(parts, (part) => store(part))
    : await Promise.all(parts.map(store));
  const [only, ...others] = outcomes;
  if (only !== undefined && others.length === 0) return only;
  return {
    written: outcomes.reduce((sum, { written }) => sum + written, 0),
    drafts: outcomes.flatMap((outcome) => outcome.drafts),
  };
}

function repeatsRecord(drafts: readonly Draft[]): boolean {
  return new Set(drafts.map(({ id }) => id)).size < drafts.length;
}
