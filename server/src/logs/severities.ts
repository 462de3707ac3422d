// The words before the colon of a line, in the languages that `lc_messages` makes PostgreSQL write. Pure. Guards: a word that is
// a severity in one language is none of another kind in the next.
import { encoded } from './text.ts';
import type { Severity } from './types.ts';

/** Fields that belong to the event of the line before. */
export type Field = 'detail' | 'hint' | 'context' | 'statement' | 'query' | 'location';
export type Word = { readonly severity: Severity } | { readonly field: Field };

const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  DEBUG: 'DEBUG DEBUG1 DEBUG2 DEBUG3 DEBUG4 DEBUG5 ОТЛАДКА デバッグ 调试 디버그 DEPURACIÓN',
  LOG: 'LOG СООБЩЕНИЕ ログ 日志 로그 LOGG DZIENNIK',
  INFO: 'INFO ИНФОРМАЦИЯ 情報 信息 정보 INFORMACJA BILGI',
  NOTICE: 'NOTICE HINWEIS NOTA NOTIFICA ЗАМЕЧАНИЕ 注意 알림 NOTIS UWAGA',
  WARNING:
    'WARNING WARNUNG ATTENTION AVISO ATTENZIONE ПРЕДУПРЕЖДЕНИЕ 警告 경고 VARNING OSTRZEŻENIE UYARI ADVERTENCIA',
  ERROR: 'ERROR FEHLER ERREUR ERRO ERRORE ОШИБКА エラー 错误 오류 FEL BŁĄD HATA',
  FATAL: 'FATAL FATALE ВАЖНО 致命的エラー 致命错误 치명적오류 KRYTYCZNY ÖLÜMCÜL',
  PANIC: 'PANIC PANIK PANICO PÂNICO ПАНИКА パニック 比致命错误还过分的错误 손상 PANIKA KRITIK',
};

const FIELD_WORDS: Readonly<Record<Field, string>> = {
  detail:
    'DETAIL DÉTAIL DETALLE DETALHE DETTAGLI ПОДРОБНОСТИ 詳細 详细信息 상세정보 DETALJ SZCZEGÓŁY AYRINTI',
  hint: 'HINT TIPP ASTUCE DICA SUGGERIMENTO ПОДСКАЗКА ヒント 提示 힌트 TIPS PODPOWIEDŹ İPUCU',
  context:
    'CONTEXT ZUSAMMENHANG CONTEXTE CONTEXTO CONTESTO КОНТЕКСТ 文脈 上下文 문맥 KONTEXT KONTEKST BAĞLAM',
  statement:
    'STATEMENT ANWEISUNG INSTRUCTION SENTENCIA COMANDO ISTRUZIONE ОПЕРАТОР 文 语句 명령 구문 SATS WYRAŻENIE KOMUT',
  query: 'QUERY ANFRAGE REQUÊTE CONSULTA ЗАПРОС 問い合わせ 查询 쿼리 FRÅGA ZAPYTANIE SORGU',
  location:
    'LOCATION BACKTRACE ORT EMPLACEMENT UBICACIÓN LOCALIZAÇÃO LOCALITÀ POSIZIONE ПОЛОЖЕНИЕ 場所 位置 위치 PLATS POŁOŻENIE YER',
};

const listed = (words: string) => words.split(' ').map(encoded);

export const WORDS: ReadonlyMap<string, Word> = new Map<string, Word>([
  ...severities().flatMap(([severity, words]) => listed(words).map((word) => [word, { severity }] as const)),
  ...fields().flatMap(([field, words]) => listed(words).map((word) => [word, { field }] as const)),
]);

function severities(): [Severity, string][] {
  const { DEBUG, LOG, INFO, NOTICE, WARNING, ERROR, FATAL, PANIC } = SEVERITY_WORDS;
  return [
    ['DEBUG', DEBUG],
    ['LOG', LOG],
    ['INFO', INFO],
    ['NOTICE', NOTICE],
    ['WARNING', WARNING],
    ['ERROR', ERROR],
    ['FATAL', FATAL],
    ['PANIC', PANIC],
  ];
}

function fields(): [Field, string][] {
  const { detail, hint, context, statement, query, location } = FIELD_WORDS;
  return [
    ['detail', detail],
    ['hint', hint],
    ['context', context],
    ['statement', statement],
    ['query', query],
    ['location', location],
  ];
}

/** Words that English servers write, whose texts can be understood. */
export const ENGLISH: ReadonlySet<string> = new Set(
  'DEBUG DEBUG1 DEBUG2 DEBUG3 DEBUG4 DEBUG5 LOG INFO NOTICE WARNING ERROR FATAL PANIC DETAIL HINT CONTEXT STATEMENT QUERY LOCATION BACKTRACE'.split(
    ' ',
  ),
);

/** The severity that a word of csvlog or jsonlog stands for. */
export function severityOf(word: string): Severity | undefined {
  const found = WORDS.get(word);
  return found !== undefined && 'severity' in found ? found.severity : undefined;
}

/** For patterns: the longest first. */
export const WORD_PATTERN = [...WORDS.keys()].toSorted((a, b) => b.length - a.length).join('|');
