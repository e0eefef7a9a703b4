// The file of refused rows: each unchanged, with the reason, to be corrected and imported with the same mapping.

import { closeSync, existsSync, fdatasyncSync, ftruncateSync, rmSync, writeSync } from "node:fs";
import type { FieldError } from "../../domain/error.ts";
import { bulkKeys } from "../../bulk/formats/bulk-keys.ts";
import { fileReasonOf, OperatorError } from "../../actions/operator/operator-error.ts";
import { protectFormula, writeRow } from "../../basics/csv-row.ts";
import { createOwnFile, openOwnFile } from "../../files/own-file.ts";
import type { Row } from "../csv/row.ts";

export interface Refusal {
  readonly row: Row;
  readonly code: number | undefined;
  readonly message: string | undefined;
  readonly errors: readonly FieldError[];
}

export interface RefusedFileOptions {
  readonly path: string;
  /** The columns of CSV. Undefined for other formats, which are written as NDJSON. */
  readonly columns: readonly string[] | undefined;
  readonly delimiter?: string | undefined;
  /** The size of the file that an earlier run has written and this one continues; 0 to begin a new file. */
  readonly bytes: number;
}

const { row: ownRow, code: ownCode, reason: ownReason, text: ownText } = bulkKeys;
const ownColumns: readonly string[] = [ownRow, ownCode, ownReason, ownText];

export class RefusedFile {
  readonly path: string;
  readonly #options: RefusedFileOptions;
  #descriptor: number | undefined;
  /** The size of everything written so far. Later bytes in the file do not count. */
  bytes: number;

  constructor(options: RefusedFileOptions) {
    this.path = options.path;
    this.#options = options;
    this.bytes = options.bytes;
    if (options.bytes === 0) this.#attempt(() => rmSync(this.path, { force: true }));
    else if (existsSync(this.path)) this.#open(() => openOwnFile(this.path, "write").descriptor);
    else throw missing(this.path);
  }

  /** Returns when the data is on stable storage, because the state of the import then counts it. */
  append(refusals: readonly Refusal[]): void {
    if (refusals.length === 0) return;
    const { columns } = this.#options;
    const isNew = this.#descriptor === undefined;
    if (isNew) this.#open(() => createOwnFile(this.path));
    const head =
      isNew && columns !== undefined
        ? this.#line([...ownColumns, ...this.#withoutOwn(columns)])
        : "";
    this.#write(head + refusals.map((refusal) => this.#describe(refusal)).join(""));
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #describe({ row, code, message, errors }: Refusal): string {
    const known = code ?? "unreadable";
    const reason = describeReason(message, errors);
    const { columns } = this.#options;
    if (columns !== undefined) {
      const cells = "cells" in row ? row.cells : columns.map(() => "");
      const text = "text" in row ? row.text : "";
      const own = [String(row.number), String(known), reason, text];
      return this.#line([...own, ...this.#withoutOwn(cells)]);
    }
    const own = { [ownRow]: row.number, [ownCode]: known, [ownReason]: reason };
    const rest = "fields" in row ? row.fields : { [ownText]: "text" in row ? row.text : "" };
    return `${JSON.stringify({ ...rest, ...own })}\n`;
  }

  #withoutOwn(cells: readonly string[]): readonly string[] {
    const { columns = [] } = this.#options;
    if (!ownColumns.some((own) => columns.includes(own))) return cells;
    return cells.filter((_, index) => !ownColumns.includes(columns[index] ?? ""));
  }

  #line(cells: readonly string[]): string {
    // People open this file in spreadsheets. The import of it restores the cells (csv-rows.ts).
    return writeRow(cells.map(protectFormula), this.#options.delimiter);
  }

  #open(open: () => number): void {
    this.#attempt(() => {
      this.#descriptor = open();
      ftruncateSync(this.#descriptor, this.bytes);
    });
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    this.#attempt(() => {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(
          this.#descriptor ?? -1,
          bytes,
          done,
          bytes.length - done,
          this.bytes + done,
        );
      }
      fdatasyncSync(this.#descriptor ?? -1);
    });
    this.bytes += bytes.length;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (cause) {
      throw unwritable(this.path, cause);
    }
  }
}

export function describeReason(message: string | undefined, errors: readonly FieldError[]): string {
  const parts = errors.map(({ field, message: why }) => `${field ?? ""} ${why ?? ""}`.trim());
  return parts.length > 0 ? parts.join("; ") : (message ?? "");
}

function missing(path: string): OperatorError {
  return new OperatorError(
    "output",
    `${path}, the file of refused rows with which the import continues, is missing. Put it back, or remove the file with ` +
      "the state of the import to import all rows again.",
  );
}

function unwritable(path: string, cause: unknown): OperatorError {
  return new OperatorError(
    "output",
    `The file of refused rows ${path} can't be written: ${fileReasonOf(cause)}. Name another folder with --state.`,
    { cause },
  );
}
