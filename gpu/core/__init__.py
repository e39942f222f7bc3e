"""The contracts that everything else keeps: colony, snapshot, device, parameters, random."""
