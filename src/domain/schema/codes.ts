// The code lists of ISO 3166-1 (countries) and ISO 4217 (currencies) that records are checked against.
// Data only: knows no names, and is updated by hand when the standards are amended (both as of November 2026).

// ISO 3166-1: the alpha-2 and alpha-3 codes of all 249 countries that have official ones, and of Kosovo. XK and XKX are
// user-assigned ones that banks, SWIFT and the European Commission use.
const countries = `
  AD:AND AE:ARE AF:AFG AG:ATG AI:AIA AL:ALB AM:ARM AO:AGO AQ:ATA AR:ARG AS:ASM AT:AUT AU:AUS
  AW:ABW AX:ALA AZ:AZE BA:BIH BB:BRB BD:BGD BE:BEL BF:BFA BG:BGR BH:BHR BI:BDI BJ:BEN BL:BLM
  BM:BMU BN:BRN BO:BOL BQ:BES BR:BRA BS:BHS BT:BTN BV:BVT BW:BWA BY:BLR BZ:BLZ CA:CAN CC:CCK
  CD:COD CF:CAF CG:COG CH:CHE CI:CIV CK:COK CL:CHL CM:CMR CN:CHN CO:COL CR:CRI CU:CUB CV:CPV
  CW:CUW CX:CXR CY:CYP CZ:CZE DE:DEU DJ:DJI DK:DNK DM:DMA DO:DOM DZ:DZA EC:ECU EE:EST EG:EGY
  EH:ESH ER:ERI ES:ESP ET:ETH FI:FIN FJ:FJI FK:FLK FM:FSM FO:FRO FR:FRA GA:GAB GB:GBR GD:GRD
  GE:GEO GF:GUF GG:GGY GH:GHA GI:GIB GL:GRL GM:GMB GN:GIN GP:GLP GQ:GNQ GR:GRC GS:SGS GT:GTM
  GU:GUM GW:GNB GY:GUY HK:HKG HM:HMD HN:HND HR:HRV HT:HTI HU:HUN ID:IDN IE:IRL IL:ISR IM:IMN
  IN:IND IO:IOT IQ:IRQ IR:IRN IS:ISL IT:ITA JE:JEY JM:JAM JO:JOR JP:JPN KE:KEN KG:KGZ KH:KHM
  KI:KIR KM:COM KN:KNA KP:PRK KR:KOR KW:KWT KY:CYM KZ:KAZ LA:LAO LB:LBN LC:LCA LI:LIE LK:LKA
  LR:LBR LS:LSO LT:LTU LU:LUX LV:LVA LY:LBY MA:MAR MC:MCO MD:MDA ME:MNE MF:MAF MG:MDG MH:MHL
  MK:MKD ML:MLI MM:MMR MN:MNG MO:MAC MP:MNP MQ:MTQ MR:MRT MS:MSR MT:MLT MU:MUS MV:MDV MW:MWI
  MX:MEX MY:MYS MZ:MOZ NA:NAM NC:NCL NE:NER NF:NFK NG:NGA NI:NIC NL:NLD NO:NOR NP:NPL NR:NRU
  NU:NIU NZ:NZL OM:OMN PA:PAN PE:PER PF:PYF PG:PNG PH:PHL PK:PAK PL:POL PM:SPM PN:PCN PR:PRI
  PS:PSE PT:PRT PW:PLW PY:PRY QA:QAT RE:REU RO:ROU RS:SRB RU:RUS RW:RWA SA:SAU SB:SLB SC:SYC
  SD:SDN SE:SWE SG:SGP SH:SHN SI:SVN SJ:SJM SK:SVK SL:SLE SM:SMR SN:SEN SO:SOM SR:SUR SS:SSD
  ST:STP SV:SLV SX:SXM SY:SYR SZ:SWZ TC:TCA TD:TCD TF:ATF TG:TGO TH:THA TJ:TJK TK:TKL TL:TLS
  TM:TKM TN:TUN TO:TON TR:TUR TT:TTO TV:TUV TW:TWN TZ:TZA UA:UKR UG:UGA UM:UMI US:USA UY:URY
  UZ:UZB VA:VAT VC:VCT VE:VEN VG:VGB VI:VIR VN:VNM VU:VUT WF:WLF WS:WSM YE:YEM YT:MYT ZA:ZAF
  ZM:ZMB ZW:ZWE
  XK:XKX
`
  .trim()
  .split(/\s+/)
  .map((pair) => pair.split(":") as [alpha2: string, alpha3: string]);

export const countriesAlpha2: ReadonlySet<string> = new Set(countries.map(([alpha2]) => alpha2));
export const countriesAlpha3: ReadonlySet<string> = new Set(countries.map(([, alpha3]) => alpha3));

// ISO 4217, list one: every active code, with funds (CHW, MXV …), metals, XTS (testing) and XXX (no currency).
const activeCurrencies = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN
  BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR
  FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY
  KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
  MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON
  RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
  TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB
  XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
`;

// Withdrawn since 2021. A record's timestamp is business time: what happened in levs in 2025 is still reported in levs.
const withdrawnCurrencies = "ANG BGN CUC HRK SLL ZWL";

/** ISO 4217 codes: all that are active, and those withdrawn too recently to have left the books. */
export const currencies: ReadonlySet<string> = setOf(`${activeCurrencies} ${withdrawnCurrencies}`);

/** What is often sent in place of a code: the other code of a country, and common mistakes. */
const mistaken: ReadonlyMap<string, string> = new Map([
  ...countries.map(([alpha2, alpha3]) => [alpha3, alpha2] as const),
  ["UK", "GB"],
  ["EL", "GR"],
  ["RMB", "CNY"],
  ["NIS", "ILS"],
]);

/** The code among these that the text means in another case, with blanks around it, or by a common mistake. */
export function codeMeantBy(text: string, codes: ReadonlySet<string>): string | undefined {
  if (text.length > mistakenCharactersMax) return undefined;
  const sent = text.trim().toUpperCase();
  if (codes.has(sent)) return sent;
  const meant = mistaken.get(sent) ?? "";
  return codes.has(meant) ? meant : undefined;
}

const mistakenCharactersMax = 16;

function setOf(codes: string): ReadonlySet<string> {
  return new Set(codes.trim().split(/\s+/));
}
