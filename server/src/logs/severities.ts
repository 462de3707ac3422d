// The words before the colon of a line, in the languages that `lc_messages` makes PostgreSQL write. Pure. Guards: a word that is
// a severity in one language is none of another kind in the next.
import { encoded } from './text.ts';
import type { Severity } from './types.ts';

/** Fields that belong to the event of the line before. */
export type Field = 'detail' | 'hint' | 'context' | 'statement' | 'query' | 'location';
export type Word = { readonly severity: Severity } | { readonly field: Field };

const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  DEBUG:
    'DEBUG DEBUG1 DEBUG2 DEBUG3 DEBUG4 DEBUG5 ОТЛАДКА デバッグ 调试 디버그 DEPURACIÓN DEPURAÇÃO НАЛАГОДЖЕННЯ გამართვა LADĚNÍ 除錯',
  LOG: 'LOG СООБЩЕНИЕ ログ 日志 로그 LOGG DZIENNIK ЗАПИСУВАННЯ ჟურნალი 日誌 紀錄',
  INFO: 'INFO ИНФОРМАЦИЯ 情報 信息 정보 INFORMACJA BILGI BİLGİ ІНФОРМАЦІЯ ინფორმაცია 資訊',
  NOTICE: 'NOTICE HINWEIS NOTA NOTIFICA ЗАМЕЧАНИЕ 注意 알림 NOTIS UWAGA ПОВІДОМЛЕННЯ POZNÁMKA',
  // Georgian has one word for NOTICE and WARNING.
  WARNING:
    'WARNING WARNUNG ATTENTION AVISO ATTENZIONE ПРЕДУПРЕЖДЕНИЕ 警告 경고 VARNING OSTRZEŻENIE UYARI ADVERTENCIA ПОПЕРЕДЖЕННЯ გაფრთხილება VAROVÁNÍ',
  ERROR: 'ERROR FEHLER ERREUR ERRO ERRORE ОШИБКА エラー 错误 오류 FEL BŁĄD HATA ПОМИЛКА შეცდომა CHYBA 錯誤',
  FATAL:
    'FATAL FATALE FATALT ВАЖНО 致命的エラー 致命错误 치명적오류 KRYTYCZNY KATASTROFALNY ÖLÜMCÜL ФАТАЛЬНО ფატალური 嚴重錯誤',
  PANIC:
    'PANIC PANIK PANICO PÂNICO ПАНИКА パニック 比致命错误还过分的错误 손상 PANIKA KRITIK KRİTİK ПАНІКА პანიკა',
};

const FIELD_WORDS: Readonly<Record<Field, string>> = {
  detail:
    'DETAIL DÉTAIL DETALLE DETALHE DETTAGLI ПОДРОБНОСТИ 詳細 详细信息 상세정보 DETALJ SZCZEGÓŁY AYRINTI ВІДОМОСТІ ДЕТАЛІ დეტალები 詳細內容',
  hint: 'HINT TIPP ASTUCE DICA SUGERENCIA SUGGERIMENTO ПОДСКАЗКА ヒント 提示 힌트 TIPS PODPOWIEDŹ İPUCU УКАЗІВКА ПІДКАЗКА მინიშნება DOPORUČENÍ',
  context:
    'CONTEXT ZUSAMMENHANG CONTEXTE CONTEXTO CONTESTO КОНТЕКСТ 文脈 上下文 문맥 내용 KONTEXT KONTEKST BAĞLAM კონტექსტი',
  statement:
    'STATEMENT ANWEISUNG INSTRUCTION INSTRUÇÃO SENTENCIA COMANDO ISTRUZIONE ОПЕРАТОР КОМАНДА 文 语句 명령_구문 명령 구문 SATS WYRAŻENIE KOMUT İFADE ІНСТРУКЦІЯ ოპერატორი PŘÍKAZ 陳述式',
  query:
    'QUERY ANFRAGE REQUÊTE CONSULTA ЗАПРОС 問い合わせ 查询 쿼리 FRÅGA ZAPYTANIE SORGU ЗАПИТ მოთხოვნა DOTAZ 查詢',
  location:
    "LOCATION BACKTRACE ORT EMPLACEMENT PILE_D'APPEL UBICACIÓN LOCALIZAÇÃO LOCAL LOCALITÀ POSIZIONE ПОЛОЖЕНИЕ СТЕК 場所 バックトレース 位置 위치 역추적 PLATS POŁOŻENIE POZYCJA YER РОЗТАШУВАННЯ ВІДСТЕЖУВАТИ მდებარეობა სტეკი",
};

const SEVERITIES = ['DEBUG', 'LOG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'FATAL', 'PANIC'] as const;
const FIELDS = ['detail', 'hint', 'context', 'statement', 'query', 'location'] as const;

/** `_` is a space within a word. */
const listed = (words: string) => words.split(' ').map((word) => encoded(word.replaceAll('_', ' ')));

export const WORDS: ReadonlyMap<string, Word> = new Map<string, Word>([
  ...SEVERITIES.flatMap((severity) =>
    listed(SEVERITY_WORDS[severity]).map((word) => [word, { severity }] as const),
  ),
  ...FIELDS.flatMap((field) => listed(FIELD_WORDS[field]).map((word) => [word, { field }] as const)),
]);

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
