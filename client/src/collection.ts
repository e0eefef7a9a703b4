// The operations on the records of one type, the same for every type.

import { ConcurrentCalls } from "./concurrent-calls.ts";
import { SluiceError } from "./errors.ts";
import { errorCodes } from "./generated/codes.ts";
import type { DeletionStatus, WriteResult } from "./generated/replies.ts";
import { toJson } from "./json.ts";
import { requireKnown, requireText, wrong } from "./options.ts";
import { type CallOptions, callOptionNames, type Session } from "./session.ts";
import { Upload, type UploadOptions } from "./upload.ts";

/** The paths of the operations of a type. */
export interface RecordPaths {
  readonly type: string;
  readonly idField: string;
  /** The path for lists, if it is not the one for a single record. */
  readonly listPath?: string;
}

/** The records of a type. Item is sent to add one, Update to update one; Existence is the reply for one that exists. */
export class Collection<Item extends object, Update extends object, Existence extends object> {
  readonly #session: Session;
  readonly #path: string;
  readonly #listPath: string;
  readonly #idField: string;
  readonly #calls: ConcurrentCalls | undefined;

  constructor(session: Session, { type, idField, listPath = type }: RecordPaths) {
    this.#session = session;
    this.#path = `/v2/${type}`;
    this.#listPath = `/v2/${listPath}`;
    this.#idField = idField;
    const paths = { path: this.#path, listPath: this.#listPath };
    this.#calls = session.batching ? new ConcurrentCalls(session, paths) : undefined;
  }

  /** Adds a record, or a list of up to 10,000 records, which are written all together or not at all. */
  add(records: Item | readonly Item[], options: CallOptions = {}): Promise<WriteResult> {
    return this.#write("POST", records, options);
  }

  /** Updates an existing record, or a list of them. Null clears a field; fields left out are not changed. */
  update(updates: Update | readonly Update[], options: CallOptions = {}): Promise<WriteResult> {
    return this.#write("PUT", updates, options);
  }

  /** Resolves to when the record was first and last seen; undefined if it does not exist. */
  async exists(
    id: string,
    options: Pick<CallOptions, "signal"> = {},
  ): Promise<Existence | undefined> {
    const path = `${this.#path}?${this.#idField}=${encodeURIComponent(requireText("id", id))}`;
    try {
      return await this.#session.call<Existence>({ method: "GET", path, signal: options.signal });
    } catch (error) {
      if (error instanceof SluiceError && error.code === errorCodes.no_such_record)
        return undefined;
      throw error;
    }
  }

  /** Adds records from a source of any length. Sends nothing until it is iterated, see Upload. */
  addAll(source: AsyncIterable<Item> | Iterable<Item>, options: UploadOptions = {}): Upload<Item> {
    return this.#upload("POST", source, options);
  }

  /** Updates records from a source of any length. Sends nothing until it is iterated, see Upload. */
  updateAll(
    source: AsyncIterable<Update> | Iterable<Update>,
    options: UploadOptions = {},
  ): Upload<Update> {
    return this.#upload("PUT", source, options);
  }

  async #write(
    method: "POST" | "PUT",
    records: object,
    options: CallOptions,
  ): Promise<WriteResult> {
    requireKnown(options, callOptionNames);
    if (Object(records) !== records) throw wrong("records", "a record, or a list of records");
    const body = toJson(records);
    const isList = Array.isArray(records);
    if (this.#calls !== undefined && !isList && options.idempotencyKey === undefined) {
      const id = (records as Readonly<Record<string, unknown>>)[this.#idField];
      return this.#calls.call({ method, id, text: body, signal: options.signal });
    }
    return this.#session.call({
      method,
      path: isList ? this.#listPath : this.#path,
      body,
      ...options,
    });
  }

  #upload<Sent extends object>(
    method: "POST" | "PUT",
    source: AsyncIterable<Sent> | Iterable<Sent>,
    options: UploadOptions,
  ): Upload<Sent> {
    const send = (body: string): Promise<WriteResult> =>
      this.#session.call({
        method,
        path: this.#listPath,
        body,
        lenient: true,
        signal: options.signal,
      });
    return new Upload(send, source, options);
  }
}

export interface DeleteOptions extends CallOptions {
  /** On which basis the request rests. The receipt contains its salted hash. */
  readonly basis?: DeletionStatus["basis"] | undefined;
}

/** Records of a type that can be deleted by request. */
export class DeletableCollection<
  Item extends object,
  Update extends object,
  Existence extends object,
  Accepted extends object,
> extends Collection<Item, Update, Existence> {
  readonly #session: Session;
  readonly #type: string;

  constructor(session: Session, paths: RecordPaths) {
    super(session, paths);
    this.#session = session;
    this.#type = paths.type;
  }

  /**
   * Requests the permanent deletion of a record and everything that belongs to it; `deletions.wait` waits until it is
   * done. The reason is stored longer than the record. Sent as a POST, because proxies may drop the body of a DELETE.
   */
  async delete(id: string, reason: string, options: DeleteOptions = {}): Promise<Accepted> {
    requireKnown(options, [...callOptionNames, "basis"]);
    const { basis, ...call } = options;
    const asked = { resource_id: requireText("id", id), reason: requireText("reason", reason) };
    const body = toJson({ resource_type: this.#type, ...asked, basis });
    return this.#session.call({ method: "POST", path: "/v2/deletion_request", body, ...call });
  }
}
