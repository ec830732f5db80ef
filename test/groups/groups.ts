import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const FOLDER = `${ROOT}test/`

/**
 * Test files that run one after another in one process: loading the app and PGlite takes longer than most of them. Paths are
 * below test/. A key is the name of the file beside this one that runs the group. They start in alphabetical order: a long group
 * at the end would run alone.
 */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'acceptance-a': ['acceptance/{apply-lock,audit,batches,leader,live-replicas,outages}'],
  'acceptance-b': ['acceptance/{pooler,raises,reload,replicas,staking,stop,story,workers}'],
  'browser-a': [
    'web/{failures,filters,freshness,gas,inputs-and-labels,navigation,other-launchpads,session,two-tabs}',
    'web/{right-to-left,unknown-outcomes,wrong-clocks}',
  ],
  'browser-b': [
    'web/{browser-wallets,demo-market,orders,positions,profiles-and-comments,raises,reloads,screens,serving,staking}',
  ],
  chain: ['chain/*', 'records/*', 'config', 'config-deployments'],
  client: [
    'sdk/{abi,amounts,browser,errors,flat-form,flows,helpers,hooks,launches,names,reconnect,send,service,session,times}',
    'sdk/{subscriptions,text-rules,trades,transactions,values,views}',
  ],
  'contract-fuzz': ['contract/fuzz'],
  'contract-workflows': ['contract/{compatibility,document-rules,workflows}'],
  'contracts-a': ['contracts/{check-evm,configure,deploy,dev-chain,keystore,timelock,verify-source}'],
  'contracts-b': [
    'contracts/{creator-fees,dissolution,fee-splitter,fee-staking,flap-curve,governance,graduation,hostile-tokens}',
    'contracts/{invariants,launch,majority-attacks,raises,recorded-logs,reentrancy,stand-ins,trading}',
    'contracts/uniswap-v4',
  ],
  db: [
    'db/{binary-values,bulk,costs,counters,creations,execute-spread,fold-text,metadata-reads,outbox,plans,pools,popular-tokens,prepared,proposal-states,pipeline}',
    'db/{baselines,embedded-thread,last-hour,lock-order,new-cluster,numbers-of-launches,partitions,price-windows}',
    'db/{creator-revenue,launchpad-figures,raise-states,raise-texts,row-objects,spread}',
    'db/{single-statements,time-columns,write-failure}',
    'db/{migrations,symbols}/*',
  ],
  // These call optimizeWasm(), which takes effect before the first database of a process is opened.
  'large-databases': ['db/{feed,forensics,people,raises,staking}-plans', 'indexer/bulk-load'],
  dev: ['dev/*'],
  docs: ['docs/*'],
  'features-a': ['features/[a-h]*'],
  'features-b': ['features/[i-q]*', 'features/views/*'],
  'features-c': ['features/[r-z]*'],
  'indexer-archive': ['indexer/archive/*'],
  'indexer-a': [
    'indexer/{conflicts,cost-basis,creations,decode,decode-ahead,deltas,event-schemas,extend-batch,fast-chain,finality,first-creations,lease,live-events}',
  ],
  'indexer-b': [
    'venues/*',
    'indexer/{limited-node,node,notifications/*,pair-map,parts,pool-prices,pool-traders,price-feed,untrusted-node}',
  ],
  'indexer-c': [
    'indexer/{raises,range-prefetcher,records,recover-logs,reindex,reorg,repair,restore-lots,skipped-heights,staking}',
    'indexer/launchpads/*',
  ],
  'indexer-d': [
    'indexer/raises/*',
    'indexer/market/*',
    'indexer/deployments/*',
    'indexer/{prove-blocks,sync,sync-branches}',
    'audit/*',
  ],
  'indexer-hostile': ['indexer/hostile-*'],
  'indexer-random': ['indexer/random'],
  lib: ['lib/*'],
  operations: ['chaos/*', 'deploy/{manifests,monitoring}', 'observability/*', 'preflight/*'],
  plugins: ['plugins/*'],
  'routes-auth': ['routes/{alerts,ambassadors,auth,operators,social,watchlists}/*'],
  'routes-chain': ['routes/{portfolio,raises,rpc,staking,trading}/*'],
  'routes-integrations': ['routes/{integrations,live,og}/*'],
  'routes-tokens': ['routes/{discovery,external-markets,forensics,tokens,wallets}/*'],
  'routes-uploads': ['routes/*', 'routes/{service,uploads}/*'],
  scripts: ['scripts/*'],
  'sdk-package': ['sdk/package'],
}

/** Files that may end their process, because they skip all of their tests where there is no server. */
export const ALONE: readonly string[] = [
  'db/hosts',
  'db/read-replica',
  'deploy/citus',
  'deploy/citus-live',
  'deploy/image',
]

/** The test files of a group, below test/, in the order in which they run. */
export const listFiles = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => globSync(`${pattern}.test.ts`, { cwd: FOLDER }).sort())
