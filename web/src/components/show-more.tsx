import { useUrlPages } from '../data/url-state.ts'
import { Button } from './button.tsx'

/** Loads the next page of a list, if there is one; the URL holds how many are shown. */
export function ShowMore({ list, label = 'Show more' }: { list: Parameters<typeof useUrlPages>[0]; label?: string }) {
  const showMore = useUrlPages(list)
  if (!showMore) return null
  return (
    <div className="border-t border-line p-3 text-center">
      <Button disabled={list.isFetchingNextPage} onClick={showMore}>
        {list.isFetchingNextPage ? 'Loading…' : label}
      </Button>
    </div>
  )
}
