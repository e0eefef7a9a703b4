// What a form of export does, whichever it is. Data only.

/** Writes items to a sink: what comes first, each item in its turn, and what comes last. */
export interface Form<Item> {
  begin(): Promise<void>;
  write(item: Item): Promise<void>;
  end(): Promise<void>;
}
