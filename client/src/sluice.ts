// The client of a Sluice service: `new Sluice(…)` gives access to all operations. Also exports the other public names
// of the package.

import { type ChangePage, type ChangesOptions, followChanges } from "./changes.ts";
import { Collection, DeletableCollection, type DeleteOptions } from "./collection.ts";
import { Connection } from "./connection.ts";
import { type EndedDeletion, Deletions } from "./deletions.ts";
import { SluiceError, SluiceNetworkError } from "./errors.ts";
import { type ErrorCode, errorCodes } from "./generated/codes.ts";
import { Collections } from "./generated/collections.ts";
import { readSettings, type SluiceOptions } from "./options.ts";
import { type CallOptions, Session } from "./session.ts";
import { TokenKeeper } from "./token-keeper.ts";
import { type Refusal, type Tally, Upload, type UploadOptions } from "./upload.ts";
import { verifyWebhook, type WebhookVerification, WebhookVerificationError } from "./webhook.ts";

export type * from "./generated/records.ts";
export type * from "./generated/replies.ts";
export { Collection, DeletableCollection, Deletions, Upload };
export { errorCodes, SluiceError, SluiceNetworkError, verifyWebhook, WebhookVerificationError };
export type {
  CallOptions,
  ChangePage,
  ChangesOptions,
  DeleteOptions,
  EndedDeletion,
  ErrorCode,
  Refusal,
  SluiceOptions,
  Tally,
  UploadOptions,
  WebhookVerification,
};

/** The client of one service and organization. A program needs only one. */
export class Sluice extends Collections {
  readonly deletions: Deletions;
  readonly #session: Session;

  /** Sends no request. Throws TypeError for an option that is missing or wrong. */
  constructor(options: SluiceOptions) {
    const connection = new Connection(readSettings(options));
    const session = new Session(
      connection,
      new TokenKeeper(connection, options),
      options.batching ?? true,
    );
    super(session);
    this.deletions = new Deletions(session);
    this.#session = session;
  }

  /**
   * Follows the changes of the organization, page by page. Throws SluiceError, also with the code of `offset_gone`:
   * then begin again at `-1`.
   */
  changes(options: ChangesOptions = {}): AsyncGenerator<ChangePage, void, undefined> {
    return followChanges(this.#session, options);
  }
}
