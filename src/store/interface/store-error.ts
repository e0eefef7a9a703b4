// An error that prevents a store from being opened, or from continuing. The message is for operators: it names the
// store and says what to do. Never contains record content.

export class StoreError extends Error {
  override readonly name = "StoreError";
  /** True if the cause ends without an operator, such as a reader of the store; the caller tries again later. */
  readonly isTemporary: boolean;

  constructor(message: string, { isTemporary = false, cause }: StoreErrorOptions = {}) {
    super(message, { cause });
    this.isTemporary = isTemporary;
  }
}

interface StoreErrorOptions extends ErrorOptions {
  readonly isTemporary?: boolean;
}
