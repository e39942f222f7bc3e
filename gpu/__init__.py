"""The computation: devices, instances, colonies, kernels, baselines, measurement."""
