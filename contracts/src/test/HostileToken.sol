// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A token that asks for no allowance, and that breaks the rules of ERC-20 on demand. Balances are shares times an index.
contract HostileToken {
  enum Mode {
    Obeys,
    ReturnsFalse, // and moves nothing
    ReturnsNothing, // but moves
    MovesNothing // but returns true
  }

  uint256 private constant ONE = 1e18;

  Mode public mode;
  uint256 public index = ONE;
  /// What the sender of a transfer pays on top of the amount.
  uint256 public surchargeBps;
  /// The index that the next transfer sets; zero: none.
  uint256 private _nextIndex;
  mapping(address account => uint256) private _shares;

  error TooFewTokens();

  function mint(address account, uint256 amount) external {
    _shares[account] += (amount * ONE) / index;
  }

  function setMode(Mode mode_) external {
    mode = mode_;
  }

  function setIndex(uint256 index_) external {
    index = index_;
  }

  function setSurcharge(uint256 surchargeBps_) external {
    surchargeBps = surchargeBps_;
  }

  function rebaseOnTransfer(uint256 nextIndex) external {
    _nextIndex = nextIndex;
  }

  function transfer(address to, uint256 amount) external returns (bool) {
    return _move(msg.sender, to, amount);
  }

  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    return _move(from, to, amount);
  }

  function balanceOf(address account) external view returns (uint256) {
    return (_shares[account] * index) / ONE;
  }

  function _move(address from, address to, uint256 amount) private returns (bool) {
    if (mode == Mode.ReturnsFalse) return false;
    if (mode == Mode.MovesNothing) return true;
    uint256 shares = (amount * ONE) / index;
    uint256 paid = shares + (shares * surchargeBps) / 10_000;
    if (_shares[from] < paid) revert TooFewTokens();
    _shares[from] -= paid;
    _shares[to] += shares;
    if (_nextIndex > 0) (index, _nextIndex) = (_nextIndex, 0);
    if (mode == Mode.ReturnsNothing) {
      assembly {
        return(0, 0)
      }
    }
    return true;
  }
}
