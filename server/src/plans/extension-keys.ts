// Lines that extensions and programs made of PostgreSQL write into plans, by who writes them. They are known, and shown as they are
// written. Guards: none of them changes a figure of the node.
const KEYS: Readonly<Record<string, string>> = {
  TimescaleDB:
    'Hypertable|Order|Startup Exclusion|Runtime Exclusion|Chunks excluded during startup|Chunks excluded during runtime|Hypertables excluded during runtime|Hypertables excluded during startup|Vectorized Filter|Vectorized Aggregation|Batches Removed by Filter|Bulk Decompression|Batches|Batch Sorted Merge|Sorted merge append|Reverse|Rows Removed by Vectorized Filter|Batches decompressed|Batches filtered|Tuples decompressed|Tuples deleted|Batches deleted|Fetcher Type|Data node|Data nodes|Chunks|Grouping Policy|Hypertables|SkipScan',
  Citus:
    'Task Count|Tasks Shown|Query|Tuple data received from node|Tuple data received from nodes|Node|Distributed Query|Distributed Subplan|Subplan Duration|Intermediate Data Size|Result destination|Map Task Count|Merge Task Count|INSERT/SELECT method|Columnar Projected Columns|Columnar Chunk Group Filters|Columnar Chunk Groups Removed by Filter|Planning Time|Execution Time|explain statement|Distributed plan',
  Greenplum:
    'Merge Key|Optimizer|Optimizer status|Extra Text|Memory used|Memory wanted|Work_mem|Work_mem used|Work_mem wanted|Slice statistics|Statement statistics|Partition Selector|Partitions selected|Partitions scanned|Filtered by|Executor Memory|Rows out|Rows in|Settings|Number of partitions to scan|Distribution Key|Segments|vmem_peak|Execution time|Slice',
  Aurora:
    'Storage I/O Timings|Prefetch|File cache|SQL Hash|Plan Hash|Note|Batched prefetch|Aurora batch read|Estimated size|Cache hits|Remote Storage|LFC',
  Neon: 'Prefetch|File cache|LFC Prefetch|Prefetch hits|Prefetch misses',
  YugabyteDB:
    'Remote Filter|Remote Index Filter|Storage Filter|Storage Index Filter|Storage Read Requests|Storage Read Execution Time|Storage Rows Scanned|Storage Write Requests|Storage Flush Requests|Storage Flush Execution Time|Storage Execution Time|Storage Table Read Requests|Storage Table Read Execution Time|Storage Table Rows Scanned|Storage Table Write Requests|Storage Index Read Requests|Storage Index Read Execution Time|Storage Index Rows Scanned|Storage Index Write Requests|Catalog Read Requests|Catalog Read Execution Time|Catalog Write Requests|Catalog Rows Scanned|Peak Memory Usage|Partial Aggregate|Estimated Seeks|Estimated Nexts|Estimated Docdb Result Width|Estimated Table Roundtrips|Estimated Index Roundtrips|Metrics|Heap Fetches|Merge Sort Key|Batched Nested Loop',
  AlloyDB:
    'Columnar Filter|Rows Removed by Columnar Filter|Columnar cache search mode|Columnar projection mode|Rows Aggregated by Columnar Scan|Columnar partitions|Columnar Filtered Rows|Native Columnar Engine Execution|Columnar sort mode|Columnar Index|Columnar Check|Ultra-fast Cache|Vectorized Join Bloom Filter',
  'foreign data wrappers':
    'Foreign File|Foreign File Size|Foreign Program|Foreign Namespace|Foreign Plan|Oracle query|Oracle plan|MySQL query|Local server startup cost|Remote server startup cost|Clickhouse query|DuckDB Execution Plan|DuckDB',
  'search and vectors':
    'Index|Base Scores|Exec Method|Scores|Tantivy Query|Table|Full Index Scan|Human Readable Query|Top N Limit|Queries|Virtual Tuples|Invisible Tuples|Segment Count|Solve Mcv',
};

export const EXTENSION_KEYS: ReadonlySet<string> = new Set(
  Object.values(KEYS).flatMap((keys) => keys.split('|')),
);
