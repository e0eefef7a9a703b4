// What every format of export provides. Types only.

/** Writes items to a sink: a header, each item in order, and a footer. */
export interface Form<Item> {
  begin(): Promise<void>;
  write(item: Item): Promise<void>;
  end(): Promise<void>;
}
