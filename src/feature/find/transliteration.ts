// How letters are written in a to z, for the search by name. A letter that countries or authorities write in several
// ways has several spellings, in columns. A name is spelled with one column at a time, so each name has few spellings.

/** Letters that have no marks to remove, and those whose marks are also written as letters, or only some of them. */
const latin = `
  ß ss, æ ae, œ oe, ł l, þ th, ð d dh d, đ d dj, ħ h, ı i, ŋ n ng, ŧ t, ĸ k, ə e a e e a,
  ü u ue u ue u ue, ö o oe oe o o oe, ø o oe oe o o oe, ä a ae ae a ae a, å a aa a aa aa a,
  ɓ b, ɗ d, ɖ d, ƙ k, ƴ y, ɛ e, ɔ o`;

/**
 * The columns are: travel documents (ICAO Doc 9303), English, older Russian documents, Ukrainian names, Serbian,
 * Bulgarian, and English with x or h. `^` is the beginning of a word.
 */
const cyrillic = `
  ий ii y iy yi i i y y, ый yi y yy y i y y y, ия iia ia iya iia ija ia ia ia,
  ія iia ia iya iia ija ia ia ia, кс ks ks ks ks ks ks x ks, а a, б b, в v,
  г g g g h g g g h, ґ g, д d, ^е e e ye e e e ye e, е e, ё e yo e yo jo e yo yo,
  ^є ie ye ye ye je ye ye ye, є ie ye ye ie je ye ye ye, ж zh zh zh zh z zh, з z,
  и i i i y i i i y, і i, ^ї i yi yi yi ji yi, ї i yi yi i ji yi, ^й i y y y j y, й i y y i j y,
  к k, л l, м m, н n, о o, п p, р r, с s, т t, у u, ў u u u u u u o, ф f, х kh kh kh kh h h kh kh,
  ц ts ts ts ts c ts, ч ch ch ch ch c ch, ш sh sh sh sh s sh,
  щ shch shch shch shch s sht shch shch, ъ ie - - - - a -, ы y, ь - - - - - y -, э e,
  ^ю iu yu yu yu ju yu, ю iu yu yu iu ju yu, ^я ia ya ya ya ja ya, я ia ya ya ia ja ya,
  ј j, љ lj, њ nj, ћ c, ђ d d d d dj, џ dz, ѕ dz, ѓ gj g, ќ kj k,
  ә a, ғ g g gh g, қ k k q k k k q, ң n n ng n, ө o, ұ u, ү u, һ h, ҳ h kh h, ҷ j`;

/** The spelling in passports (ELOT 743), then those that are common in English. */
const greek = `
  ου ou, αυ av au af, ευ ev eu ef, γγ ng, γκ gk g, μπ mp b mb mp, ντ nt d nt, α a, β v b v, γ g,
  δ d, ε e, ζ z, η i, θ th, ι i, κ k, λ l, μ m, ν n, ξ x, ο o, π p, ρ r, σ s, ς s, τ t,
  υ y i y, φ f ph f, χ ch h ch, ψ ps, ω o`;

/** Letters for which keyboards of other languages of the script have others, or that are often written as others. */
const arabic = "ک ك, ی ي, ى ي, ة ه, ہ ه, ھ ه, ٱ ا";

const columns = 8;
const isLetter = /\p{L}/u;

/** In the tables, `-` means no letter, and the last spelling fills the remaining columns. */
const spellings: ReadonlyMap<string, readonly string[]> = new Map(
  [latin, cyrillic, greek, arabic]
    .flatMap((table) => table.split(","))
    .map((entry) => {
      const [letters = "", ...given] = entry.trim().split(" ");
      const texts = given.map((text) => (text === "-" ? "" : text));
      return [letters, Array.from({ length: columns }, (_, at) => texts[at] ?? texts.at(-1) ?? "")];
    }),
);

/** Marks of alphabets. Those of other scripts are vowels, or distinguish syllables (U+3099 and U+309A). */
const marks =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}]]--[\u3099\u309a]]/gv;

/** In small letters without marks, each once: at most eight. Letters of other scripts stay. */
export function spell(text: string): readonly string[] {
  const small = text.normalize("NFKC").toLowerCase().normalize("NFC");
  const letters = Array.from(small).flatMap((letter) =>
    spellings.has(letter) ? [letter] : bare(letter),
  );
  const spelled: string[][] = Array.from({ length: columns }, () => []);
  for (let at = 0; at < letters.length;) {
    const [one = "", next = ""] = letters.slice(at, at + 2);
    const pair = next === "" ? undefined : spellings.get(one + next);
    const begins = !isLetter.test(letters[at - 1] ?? "");
    const own = pair ?? (begins ? spellings.get(`^${one}`) : undefined) ?? spellings.get(one);
    for (const [column, parts] of spelled.entries()) parts.push(own?.[column] ?? one);
    at += pair === undefined ? 1 : 2;
  }
  return [...new Set(spelled.map((parts) => parts.join("")))];
}

function bare(letter: string): readonly string[] {
  return Array.from(letter.normalize("NFD").replaceAll(marks, ""));
}
