// An error that prevents a store from being opened, or from continuing. The message is for operators: it names the
// store and says what to do. Never contains record content.

export class StoreError extends Error {
  override readonly name = "StoreError";
  /** True if the cause ends without an operator, such as a reader of the store; the caller tries again later. */
  readonly isTemporary: boolean;
  /** The file or folder that can't be used, if the store is one and that is the reason. */
  readonly path: string | undefined;

  constructor(message: string, { isTemporary = false, path, cause }: StoreErrorOptions = {}) {
    super(message, { cause });
    this.isTemporary = isTemporary;
    this.path = path;
  }
}

interface StoreErrorOptions extends ErrorOptions {
  readonly isTemporary?: boolean;
  readonly path?: string | undefined;
}
